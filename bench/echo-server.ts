/** A plain HTTP server of the same make: takes a JSON body and answers as many bytes as it is asked for. */
import { fastify } from 'fastify'

const app = fastify({ logger: false, bodyLimit: 64 * 1024 * 1024 })
const answers = new Map<number, string>()

app.post<{ Params: { size: string } }>('/echo/:size', (request, reply) => {
  const size = Number(request.params.size)
  const answer = answers.get(size) ?? JSON.stringify('x'.repeat(Math.max(0, size - 2)))
  answers.set(size, answer)
  return reply.type('application/json; charset=utf-8').send(answer)
})
process.on('disconnect', () => process.exit(0))
const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.send?.(address)

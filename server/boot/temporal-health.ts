/** One question to a Temporal frontend over bare HTTP/2: gRPC's standard health check, so that boot needs no client of Temporal. */
import { connect, constants, type IncomingHttpHeaders } from 'node:http2'

type TemporalHealth = 'serving' | 'answering' | 'silent'

const service = 'temporal.api.workflowservice.v1.WorkflowService'

/**
 * Asks the frontend at host:port. `serving` is its own word; `answering` is any other gRPC answer, such as one that wants a
 * credential; `silent` is no answer within the limit. Never rejects.
 */
export function askTemporal(address: string, limitMs: number): Promise<TemporalHealth> {
  return new Promise((resolve) => {
    const session = connect(`http://${address}`)
    const timer = setTimeout(() => settle('silent'), limitMs)
    const settle = (health: TemporalHealth) => {
      clearTimeout(timer)
      session.destroy()
      resolve(health)
    }
    session.on('error', () => settle('silent'))
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: '/grpc.health.v1.Health/Check',
      [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
      te: 'trailers',
    })
    let body = Buffer.alloc(0)
    let grpcStatus: string | undefined
    const readStatus = (headers: IncomingHttpHeaders) => {
      const status = headers['grpc-status']
      if (typeof status === 'string') grpcStatus = status
    }
    stream.on('response', readStatus)
    stream.on('trailers', readStatus)
    stream.on('data', (chunk: Buffer) => (body = Buffer.concat([body, chunk])))
    stream.on('error', () => settle('silent'))
    stream.on('end', () => {
      if (grpcStatus === undefined) settle('silent')
      // Five bytes of frame, then field 1 (a varint) with the value SERVING.
      else settle(grpcStatus === '0' && body[5] === 0x08 && body[6] === 0x01 ? 'serving' : 'answering')
    })
    stream.end(requestFrame())
  })
}

/** A frame that is not compressed, with its length, around a message whose field 1 is the service's name. */
function requestFrame(): Buffer {
  const name = Buffer.from(service)
  const frame = Buffer.alloc(5 + 2 + name.length)
  frame.writeUInt32BE(2 + name.length, 1)
  frame[5] = 0x0a
  frame[6] = name.length
  name.copy(frame, 7)
  return frame
}

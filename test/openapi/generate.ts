/** Prints the types that openapi-typescript makes of the document on standard input. */
import { registerHooks } from 'node:module'
import { text } from 'node:stream/consumers'

// The generator prints with the compiler's programming interface, which TypeScript 7 has not: it gets the last one that has.
registerHooks({ resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context) })
const { astToString, default: openapiTypes } = await import('openapi-typescript')

process.stdout.write(astToString(await openapiTypes(await text(process.stdin))))

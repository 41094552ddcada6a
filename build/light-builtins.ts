import type { Plugin } from 'rolldown'

const prefix = '\0light:'

/** Getters of `node:http` that load Node's own HTTP client: its 50 ms and 14 MB for whoever imports the module. */
const heavy = ['WebSocket', 'CloseEvent', 'MessageEvent']

const http = Object.keys(process.getBuiltinModule('node:http')).filter(
  (name) => !heavy.includes(name),
)

/** What stands for modules of Node where ES modules import them. */
const standIns: Readonly<Record<string, string>> = {
  // An import evaluates each getter, the look-up of a module none.
  http: `const http = process.getBuiltinModule('node:http')
export default http
export const { ${http.join(', ')} } = http`,
  // 30 ms. The adapter of our HTTP server asks whether a request is of HTTP/2, which we do not serve.
  http2: 'export class Http2ServerRequest {}\nexport const constants = {}',
}

/** Makes modules of Node that are dear to import cheap. */
export const lightBuiltins: Plugin = {
  name: 'light-builtins',
  resolveId: {
    filter: { id: /^(?:node:)?http2?$/ },
    handler: (id, _importer, { kind }) =>
      kind === 'require-call' ? null : prefix + id.replace('node:', ''),
  },
  load: {
    filter: { id: /^\0light:/ },
    handler: (id) => standIns[id.slice(prefix.length)],
  },
}

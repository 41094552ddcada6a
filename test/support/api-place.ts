import { serveHttp } from '../../src/app/processes/serve-http.ts'
import { insertApiToken } from '../../src/db/people/api-tokens.ts'
import { saveCaller, savePairedRole } from '../../src/db/people/callers.ts'
import type { Db } from '../../src/db/schema.ts'
import type { Role } from '../../src/domain/caller.ts'
import { createApi } from '../../src/gateway/create-api.ts'
import { sha256 } from '../../src/util/digest.ts'
import { newToken } from '../../src/util/ids.ts'
import { type Log, silentLog } from '../../src/util/log.ts'
import { ApiClient } from './api-client.ts'
import type { Flow } from './flow.ts'

/** The API of a flow, on a port of its own. */
export interface ApiPlace extends AsyncDisposable {
  readonly port: number
  /** A program with a new token. */
  program(name: string, role: Role): Promise<ApiClient>
}

export async function serveApi(
  { product, config, db }: Flow,
  { log = silentLog, publicUrl }: { readonly log?: Log; readonly publicUrl?: string } = {},
): Promise<ApiPlace> {
  const resources = new AsyncDisposableStack()
  const own = { ...config.http, ...(publicUrl === undefined ? {} : { publicUrl }) }
  const served = { ...config, http: { ...own, listen: '127.0.0.1:0' } }
  const api = resources.use(
    await createApi({ ctx: { ...product.ctx, log }, config: served, bus: product.bus }),
  )
  const metrics = { contentType: 'text/plain', text: async () => '' }
  const { routes } = api
  const server = resources.use(
    await serveHttp({ config: served, log, checks: {}, metrics, routes }),
  )
  resources.use(api.feeds)
  const port = server?.port ?? 0
  return {
    port,
    program: async (name, role) => new ApiClient(port, await giveToken(db, name, role)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** As `countersign pair --api` does it. */
export async function giveToken(db: Db, name: string, role: Role): Promise<string> {
  const id = `api:${name}`
  const token = `countersign_${newToken()}${newToken()}`
  await saveCaller(db, { id, name: id, role })
  await savePairedRole(db, { id, name: id }, role)
  await insertApiToken(db, sha256(token), id)
  return token
}

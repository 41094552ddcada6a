import { chmod, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Box } from '../../ports/sandbox.ts'
import { boxExecutor } from '../../ports/sandbox.ts'
import { prepareBox } from '../box/prepare-box.ts'
import type { McpSurroundings, StdioServerOptions } from './mcp-options.ts'

/** A server's box; disposing ends its way out, if it has one. */
export interface ServerBox extends AsyncDisposable {
  readonly box: Box
}

/** MCP-04: starts a server in a box of its own, behind a proxy if it may reach hosts, else without any network. */
export async function openBox(
  options: StdioServerOptions,
  { driver, replica, openEgress, log }: McpSurroundings,
): Promise<ServerBox> {
  const { name, command, env, home, readOnly, readWrite, hosts } = options
  const key = `${replica}/mcp/${name}`
  const spec = prepareBox({ key, workspace: home, readOnly, readWrite, masked: [] })
  if (hosts.length === 0) {
    const box = await driver.start({ ...spec, program: { command, env } })
    return { box, [Symbol.asyncDispose]: async () => undefined }
  }
  if (openEgress === undefined)
    throw new Error('this worker has no proxy, and the server names hosts')
  await using resources = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'countersign-egress-'))
  resources.defer(() => rm(directory, { recursive: true, force: true }))
  // Its user may pass through, and the socket in it is that user's alone.
  await chmod(directory, 0o711)
  const relay = ['node', `${boxExecutor}/serve-behind-proxy.mjs`]
  const line = [...relay, '--socket', join(directory, 'egress.sock'), '--', ...command]
  const program = { command: line, env }
  const box = await driver.start({ ...spec, readOnly: [...readOnly, directory], program })
  resources.defer(() => box.kill())
  const { uid, gid } = await stat(home)
  const proxy = await openEgress({
    directory,
    hosts,
    ...(process.getuid?.() === 0 ? { owner: { uid, gid } } : {}),
    observe: (event) => log.info({ server: name, ...event }, 'MCP server: connection'),
  })
  resources.use(proxy)
  const open = resources.move()
  return { box, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() }
}

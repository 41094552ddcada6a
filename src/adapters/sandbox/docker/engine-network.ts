import { SandboxUnavailable } from '../sandbox-unavailable.ts'
import type { Engine } from './engine.ts'

/** Networks that every engine has: the host's own, none, ones that any container gets unasked; and words that mean no network. */
const builtIn: ReadonlySet<string> = new Set([
  ...['bridge', 'container', 'default', 'docker_gwbridge', 'host', 'ingress', 'none', 'ns'],
  ...['pasta', 'podman', 'private', 'slirp4netns'],
])

/** BASH-06: rejects with SandboxUnavailable unless the engine has this network, made by the operator, and it is not the host's. */
export async function assertNetwork(engine: Engine, network: string): Promise<void> {
  const name = `[sandbox] network ${JSON.stringify(network)}`
  if (builtIn.has(network.toLowerCase()))
    throw new SandboxUnavailable(
      `${name} is the engine's own: make one for commands with \`${engine.program} network create NAME\``,
    )
  const format = '{{.Name}} {{.Driver}}'
  const told = await engine
    .run(['network', 'inspect', '--format', format, network])
    .catch((cause: unknown) => {
      const how = `${engine.program} network create ${network}`
      throw new SandboxUnavailable(`the engine has no ${name}: make it with \`${how}\``, { cause })
    })
  const [found, driver = ''] = told.trim().split(' ')
  // An engine takes ids for names, those of its own networks too.
  if (found !== network || driver === 'host' || driver === 'null')
    throw new SandboxUnavailable(`${name} is not the name of a network of its own`)
}

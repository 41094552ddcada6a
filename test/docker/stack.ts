import { randomBytes } from 'node:crypto'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from './engine.ts'
import { imageSettings, root } from './images.ts'
import { run } from './run.ts'

/** docker-compose.yml, brought up as a project of its own. */
export interface Stack extends AsyncDisposable {
  compose(...args: readonly string[]): Promise<string>
  /** Runs compose with standard output to, or standard input from a file beside `.env`; answers what else it prints. */
  composeWith(direction: '>' | '<', name: string, ...args: readonly string[]): Promise<string>
  /** Ids of a service's containers, those that have ended too. */
  containers(service: string): Promise<readonly string[]>
  /** What a container's command prints; rejects when it fails. */
  inside(container: string, ...command: readonly string[]): Promise<string>
  inspect(container: string): Promise<Inspected>
  /** Of a service's containers that run, in every network. */
  addresses(service: string): Promise<readonly string[]>
  /** Ids of the containers in one of its networks. */
  inNetwork(name: string): Promise<readonly string[]>
  untilHealthy(): Promise<void>
  /** Writes more into `.env`. */
  set(settings: Settings): Promise<void>
}

type Settings = Readonly<Record<string, string>>

/** Of what the engine tells about a container. */
export interface Inspected {
  readonly Name: string
  readonly Config: { readonly User: string; readonly Env: readonly string[] }
  readonly State: { readonly Status: string; readonly ExitCode: number; readonly Health?: Health }
  readonly HostConfig: { readonly ReadonlyRootfs: boolean; readonly Memory: number }
  readonly Mounts: readonly { readonly Destination: string }[]
  readonly NetworkSettings: {
    readonly Networks: Readonly<Record<string, { readonly IPAddress: string }>>
  }
}

interface Health {
  readonly Status: string
  readonly Log: readonly { readonly Output: string }[]
}

export const services = ['postgres', 'redis', 'gateway', 'agent', 'worker'] as const

/** `settings` are what an operator writes into `.env`. */
export async function createStack(engine: Engine, settings: Settings): Promise<Stack> {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-stack-'))
  const file = join(directory, 'env')
  const set = (more: Settings) => appendFile(file, toLines(more))
  await set({ ...imageSettings, ...settings })
  const project = `countersign${randomBytes(4).toString('hex')}`
  const common = ['--env-file', file, '--project-name', project]
  const { environment, docker } = engine
  const compose = (...args: readonly string[]) =>
    run('docker-compose', [...common, ...args], { cwd: root, environment })
  const containers = async (service: string) => {
    const labels = [
      `com.docker.compose.project=${project}`,
      `com.docker.compose.service=${service}`,
    ]
    const filters = labels.flatMap((label) => ['--filter', `label=${label}`])
    return words(await docker(['ps', '--all', '--quiet', '--no-trunc', ...filters]))
  }
  const inspect = async (container: string) => {
    const [found] = JSON.parse(await docker(['inspect', container])) as readonly Inspected[]
    if (found === undefined) throw new Error(`no container ${container}`)
    return found
  }
  const all = async () => {
    const ids = await Promise.all(services.map(containers))
    return Promise.all(ids.flat().map(inspect))
  }
  const addresses = async (service: string) => {
    const found = await Promise.all((await containers(service)).map(inspect))
    return found.flatMap(({ NetworkSettings }) =>
      Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress),
    )
  }
  return {
    compose,
    composeWith: (direction, name, ...args) => {
      const line = `file=$1; shift; exec docker-compose "$@" ${direction}"$file"`
      const given = ['-c', line, 'sh', join(directory, name), ...common, ...args]
      return run('sh', given, { cwd: root, environment })
    },
    set,
    addresses,
    containers,
    inspect,
    inNetwork: async (name) => {
      const format = '{{range $id, $_ := .Containers}}{{$id}} {{end}}'
      return words(await docker(['network', 'inspect', '--format', format, `${project}_${name}`]))
    },
    inside: (container, ...command) => docker(['exec', container, ...command]),
    untilHealthy: async () => {
      const until = Date.now() + 400_000
      while (!(await all()).every(isHealthy)) {
        if (Date.now() > until)
          throw new Error(
            `not healthy:\n${story(await all())}\n${await compose('logs', '--tail=20')}`,
          )
        await delay(500)
      }
    },
    [Symbol.asyncDispose]: async () => {
      await compose('down', '--volumes', '--timeout', '5')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function toLines(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

function isHealthy({ State }: Inspected): boolean {
  return State.Health?.Status === 'healthy'
}

function story(all: readonly Inspected[]): string {
  const line = ({ Name, State }: Inspected) =>
    `${Name} ${State.Status} ${State.Health?.Status} ${State.Health?.Log.at(-1)?.Output ?? ''}`
  return all.map(line).join('\n')
}

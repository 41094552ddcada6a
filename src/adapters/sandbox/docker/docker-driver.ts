import { existsSync } from 'node:fs'
import { mkdir, realpath, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { english } from '../../../domain/messages/messages.ts'
import type { Box, BoxSpec, SandboxDriver } from '../../../ports/sandbox.ts'
import { newId } from '../../../util/ids.ts'
import { assertKey } from '../box-environment.ts'
import { boxWorkspace, workspaceName } from '../box-mounts.ts'
import { releaseAfter } from '../find-program.ts'
import { createPlaceholders } from '../placeholders.ts'
import {
  defaultLimits,
  reachableRootOf,
  type SandboxOptions,
  SandboxUnavailable,
} from '../sandbox-options.ts'
import { stageExecutor } from '../stage-executor.ts'
import { watchCovers } from '../watch-covers.ts'
import { boxLine, type Container } from './box-line.ts'
import { boxUser } from './box-user.ts'
import { containerMounts, ownOfContainers } from './container-mounts.ts'
import { createEngine, type Engine, type EngineFacts, readEngineFacts } from './engine-facts.ts'
import { removeByPrefix, startContainer } from './start-container.ts'

const otherAccounts = [
  'root:x:0:0:root:/root:/bin/sh',
  'nobody:x:65534:65534:nobody:/nonexistent:/bin/false',
]

/** Networks that engines provide (the host's, none, and defaults of containers), and words that mean no network. */
const builtIn: ReadonlySet<string> = new Set([
  ...['bridge', 'container', 'default', 'docker_gwbridge', 'host', 'ingress', 'none', 'ns'],
  ...['pasta', 'podman', 'private', 'slirp4netns'],
])

/**
 * Creates the driver that runs the executor in a container of Docker or Podman, through the engine's command-line program
 * (BOX-03). Rejects with SandboxUnavailable if the program, its engine or the image is missing.
 */
export async function createDockerDriver(options: SandboxOptions): Promise<SandboxDriver> {
  if (options.docker === undefined) throw new SandboxUnavailable('no engine was named')
  const engine = createEngine(options.docker)
  const facts = await readEngineFacts(engine)
  const image = await readImage(engine, options.docker.image)
  if (options.network !== undefined) await assertNetwork(engine, options.network)
  const parts: DockerParts = {
    engine,
    options,
    container: {
      facts,
      limits: options.limits ?? defaultLimits,
      image: options.docker.image,
      owner: options.cacheDir,
      network: options.network,
    },
    executorDir: await stageExecutor(options.executorDir, options.cacheDir),
    emptyDir: await emptyFolder(options.cacheDir),
    sockets: engineSockets(options.docker.environment),
    placeholders: createPlaceholders(),
  }
  return {
    name: 'docker',
    confined: true,
    refusesSetuid: false,
    warnings: [...limitWarnings(facts), ...networkWarnings(options), ...imageWarnings(image)],
    boxWorkspace: (host) => nameOf(host, options),
    start: (spec) => startBox(parts, spec),
    sweep: (prefix) => removeByPrefix(engine, prefix),
  }
}

interface DockerParts {
  readonly engine: Engine
  readonly options: SandboxOptions
  readonly container: Container
  readonly executorDir: string
  readonly emptyDir: string
  /** Sockets of the engine, which must not be visible in a box. */
  readonly sockets: readonly string[]
  readonly placeholders: ReturnType<typeof createPlaceholders>
}

interface Image {
  readonly name: string
  /** Whether it was built by our Dockerfile, with a Node that commands cannot trace. */
  readonly hasSealedNode: boolean
}

async function readImage(engine: Engine, name: string): Promise<Image> {
  const format = '{{.Id}} {{index .Config.Labels "countersign.sealed-node"}}'
  const output = await engine
    .run(['image', 'inspect', '--format', format, name])
    .catch((cause: unknown) => {
      const how = `${engine.program} build --target box --tag ${name} .`
      throw new SandboxUnavailable(
        `the engine has no image ${name}: make it with \`${how}\` in Countersign's directory`,
        { cause },
      )
    })
  return { name, hasSealedNode: output.trim().endsWith(' yes') }
}

function imageWarnings({ name, hasSealedNode }: Image): readonly string[] {
  if (hasSealedNode) return []
  return [english.cards.namedBoxes.image({ name })]
}

async function emptyFolder(cacheDir: string): Promise<string> {
  const dir = join(cacheDir, 'empty')
  await mkdir(dir, { recursive: true, mode: 0o755 })
  return dir
}

function limitWarnings({ limits }: EngineFacts): readonly string[] {
  const { boxes } = english.cards
  return [
    ...(limits.memory ? [] : [boxes.memoryEngine]),
    ...(limits.pids ? [] : [boxes.processesEngine]),
    ...(limits.cpus ? [] : [boxes.processorsEngine]),
  ]
}

function networkWarnings({ network }: SandboxOptions): readonly string[] {
  if (network === undefined) return []
  return [english.cards.namedBoxes.network({ name: network })]
}

function nameOf(host: string, { keptWorkspace }: SandboxOptions): string {
  return workspaceName(host, keptWorkspace, ownOfContainers)
}

async function startBox(parts: DockerParts, spec: BoxSpec): Promise<Box> {
  const { engine, options, container, placeholders } = parts
  const key = assertKey(spec.key)
  const workspace = await realpath(spec.workspace)
  const masked = [...spec.masked, ...parts.sockets]
  const inner = { ...spec, workspace, masked, name: nameOf(workspace, options) }
  const user = await boxUser(inner, container.facts, reachableRootOf(options))
  const accounts = await writeAccounts(options.cacheDir, user)
  const mounts = containerMounts(inner, { ...parts, ...accounts })
  placeholders.boxStarts(mounts.placeholders)
  const uncovered = Promise.withResolvers<void>()
  const watched = watchCovers(mounts.covered, uncovered.resolve)
  const tidy = async () => {
    watched[Symbol.dispose]()
    await placeholders.boxEnded()
  }
  const name = `countersign-${newId()}`
  const hasNetwork = spec.network === true
  const own = {
    name,
    key,
    workspace: inner.name,
    user: user.arguments,
    mounts: mounts.arguments,
    hasNetwork,
    program: spec.program,
  }
  try {
    const box = await startContainer(engine, name, boxLine(container, own), spec.program?.env)
    const exited = releaseAfter(box.exited, tidy)
    const kill = async () => {
      await box.kill()
      await exited
    }
    void uncovered.promise.then(kill)
    return { ...box, exited, kill }
  } catch (error) {
    await tidy()
    throw error
  }
}

/** Existing sockets of engines: write access to one allows mounting any file of the host in a container. */
export function engineSockets(environment: Readonly<Record<string, string>>): readonly string[] {
  const { DOCKER_HOST, CONTAINER_HOST, XDG_RUNTIME_DIR } = environment
  const named = [DOCKER_HOST, CONTAINER_HOST].flatMap((address) =>
    address?.startsWith('unix://') ? [address.slice('unix://'.length)] : [],
  )
  const usual = ['docker.sock', 'podman/podman.sock', 'containerd/containerd.sock']
  const folders = ['/run', '/var/run', ...(XDG_RUNTIME_DIR === undefined ? [] : [XDG_RUNTIME_DIR])]
  const all = [...named, ...folders.flatMap((folder) => usual.map((name) => join(folder, name)))]
  return all.filter((path) => existsSync(path))
}

/** Rejects with SandboxUnavailable unless the network was created by the operator and is not the host's (BASH-06). */
async function assertNetwork(engine: Engine, network: string): Promise<void> {
  const name = `[sandbox] network ${JSON.stringify(network)}`
  if (builtIn.has(network.toLowerCase()))
    throw new SandboxUnavailable(
      `${name} is the engine's own: make one for commands with \`${engine.program} network create NAME\``,
    )
  const format = '{{.Name}} {{.Driver}}'
  const output = await engine
    .run(['network', 'inspect', '--format', format, network])
    .catch((cause: unknown) => {
      const how = `${engine.program} network create ${network}`
      throw new SandboxUnavailable(`the engine has no ${name}: make it with \`${how}\``, { cause })
    })
  const [found, driver = ''] = output.trim().split(' ')
  // Engines accept ids as names, including those of their own networks.
  if (found !== network || driver === 'host' || driver === 'null')
    throw new SandboxUnavailable(`${name} is not the name of a network of its own`)
}

/** Writes account files for these ids below `cacheDir`, and returns their paths. */
async function writeAccounts(
  cacheDir: string,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Promise<{ readonly passwd: string; readonly group: string }> {
  const dir = join(cacheDir, 'accounts')
  await mkdir(dir, { recursive: true, mode: 0o755 })
  const [passwd, group] = [join(dir, `passwd-${uid}-${gid}`), join(dir, `group-${gid}`)]
  await replace(
    passwd,
    lines([...otherAccounts, `box:x:${uid}:${gid}:box:${boxWorkspace}:/bin/bash`]),
  )
  await replace(
    group,
    lines(['root:x:0:', 'nogroup:x:65534:', ...(gid === 0 ? [] : [`box:x:${gid}:`])]),
  )
  return { passwd, group }
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('')
}

async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}-${newId()}`
  await writeFile(draft, text, { mode: 0o644 })
  await rename(draft, file)
}

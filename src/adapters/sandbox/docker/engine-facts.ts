import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { runCommand } from '../../../util/run-command.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { systemPath } from '../box-environment.ts'
import { findProgram } from '../find-program.ts'
import { type DockerOptions, SandboxUnavailable } from '../sandbox-options.ts'

/** A failed command of the engine's program; the message is its last line of output. */
class EngineFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineFailure'
  }
}

/** Properties that an engine reports. */
export interface EngineFacts {
  readonly kind: 'docker' | 'podman'
  /** Whether it runs as an ordinary user of its host, who is root in boxes. */
  readonly isRootless: boolean
  /** Limits that it can enforce. */
  readonly limits: { readonly pids: boolean; readonly memory: boolean; readonly cpus: boolean }
  /** Number of processors of its host. */
  readonly cpus: number
}

const docker = z.object({
  OSType: z.string().default('linux'),
  MemoryLimit: z.boolean(),
  CpuCfsQuota: z.boolean(),
  PidsLimit: z.boolean().default(false),
  NCPU: z.number(),
  SecurityOptions: z.array(z.string()).nullish(),
})

const podman = z.object({
  host: z.object({
    cgroupControllers: z.array(z.string()).nullish(),
    cpus: z.number(),
    security: z.object({ rootless: z.boolean() }),
  }),
})

/** Queries the engine. Rejects with SandboxUnavailable if it cannot be reached, or does not run Linux containers. */
export async function readEngineFacts(engine: Engine): Promise<EngineFacts> {
  const output = await engine.run(['info', '--format', '{{json .}}']).catch((cause: unknown) => {
    throw new SandboxUnavailable(unreachable(engine, cause), { cause })
  })
  return parseFacts(output, engine)
}

function parseFacts(output: string, engine: Engine): EngineFacts {
  const value = tryParseJson(output)
  const asPodman = podman.safeParse(value)
  if (asPodman.success) return ofPodman(asPodman.data)
  const asDocker = docker.safeParse(value)
  if (asDocker.success) return ofDocker(asDocker.data)
  throw new SandboxUnavailable(unreachable(engine, serverError(value)))
}

function ofPodman({ host }: z.infer<typeof podman>): EngineFacts {
  const has = (controller: string) => host.cgroupControllers?.includes(controller) === true
  return {
    kind: 'podman',
    isRootless: host.security.rootless,
    limits: { pids: has('pids'), memory: has('memory'), cpus: has('cpu') },
    cpus: host.cpus,
  }
}

function ofDocker(info: z.infer<typeof docker>): EngineFacts {
  if (info.OSType !== 'linux')
    throw new SandboxUnavailable(`the engine runs ${info.OSType} containers, boxes are Linux`)
  return {
    kind: 'docker',
    isRootless: info.SecurityOptions?.includes('name=rootless') === true,
    limits: { pids: info.PidsLimit, memory: info.MemoryLimit, cpus: info.CpuCfsQuota },
    cpus: info.NCPU,
  }
}

/** Some versions print only the client's part, with the reason why the engine's is missing. */
function serverError(value: unknown): string {
  const { data } = z.object({ ServerErrors: z.array(z.string()).min(1) }).safeParse(value)
  return data?.ServerErrors[0] ?? 'it told nothing about itself'
}

function unreachable({ program }: Engine, why: unknown): string {
  const words = why instanceof Error ? why.message : String(why)
  return `the engine of ${program} cannot be reached: ${words} (is it running, may this user use it, is DOCKER_HOST right?)`
}

/** Command-line program of a container engine. */
export interface Engine {
  readonly program: string
  /** Complete environment of the program. */
  readonly environment: Readonly<Record<string, string>>
  /**
   * Runs a command and returns its output; `env` adds to the program's environment. Rejects with EngineFailure if it fails or
   * takes more than a minute.
   */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>
}

/** Throws SandboxUnavailable if the program is not installed. */
export function createEngine(options: DockerOptions): Engine {
  const program = programOf(options.program)
  const environment = { PATH: systemPath, ...options.environment }
  return {
    program,
    environment,
    run: async (args, env) => {
      const how = { env: { ...env, ...environment }, cwd: '/', timeout: 60_000, maxBuffer: 2 ** 24 }
      return await runCommand(program, args, how).catch((cause: unknown) => {
        throw new EngineFailure(failureMessage(cause), { cause })
      })
    },
  }
}

/** Falls back from docker to podman. */
function programOf(name: string): string {
  if (isAbsolute(name)) return name
  const found = findProgram(name) ?? (name === 'docker' ? findProgram('podman') : undefined)
  if (found === undefined)
    throw new SandboxUnavailable(
      `${name} is not installed (Debian: docker.io or podman), or [sandbox] engine names it wrongly`,
    )
  return found
}

function failureMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const stderrText = 'stderr' in error ? String(error.stderr).trim() : ''
  return stderrText.split('\n').findLast((line) => !isHint(line)) || error.message
}

function isHint(line: string): boolean {
  return line === '' || line.startsWith("See '") || line.startsWith('Run ')
}

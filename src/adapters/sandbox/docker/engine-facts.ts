import { z } from 'zod'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { SandboxUnavailable } from '../sandbox-options.ts'
import type { Engine } from './engine.ts'

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

import { isAbsolute } from 'node:path'
import { runCommand } from '../../../util/run-command.ts'
import { systemPath } from '../box-environment.ts'
import { findProgram } from '../find-program.ts'
import type { DockerOptions } from '../sandbox-options.ts'
import { SandboxUnavailable } from '../sandbox-unavailable.ts'

/** The command-line program of a container engine. */
export interface Engine {
  readonly program: string
  /** All that the program sees of an environment. */
  readonly environment: Readonly<Record<string, string>>
  /** What a command of it printed. Rejects with EngineFailure when it fails, or takes longer than a minute. */
  run(args: readonly string[]): Promise<string>
}

/** A command of the engine's program has failed; the message is the last line that it said. */
class EngineFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineFailure'
  }
}

/** Throws SandboxUnavailable when the program is not there. */
export function createEngine(options: DockerOptions): Engine {
  const program = programOf(options.program)
  const environment = { PATH: systemPath, ...options.environment }
  return {
    program,
    environment,
    run: async (args) => {
      const how = { env: environment, cwd: '/', timeout: 60_000, maxBuffer: 2 ** 24 }
      return await runCommand(program, args, how).catch((cause: unknown) => {
        throw new EngineFailure(wordsOf(cause), { cause })
      })
    },
  }
}

/** Who has Podman and says nothing means Podman. */
function programOf(name: string): string {
  if (isAbsolute(name)) return name
  const found = findProgram(name) ?? (name === 'docker' ? findProgram('podman') : undefined)
  if (found === undefined)
    throw new SandboxUnavailable(
      `${name} is not installed (Debian: docker.io or podman), or [sandbox] engine names it wrongly`,
    )
  return found
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const said = 'stderr' in error ? String(error.stderr).trim() : ''
  return said.split('\n').findLast((line) => !isHint(line)) || error.message
}

function isHint(line: string): boolean {
  return line === '' || line.startsWith("See '") || line.startsWith('Run ')
}

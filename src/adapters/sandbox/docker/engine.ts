import { isAbsolute } from 'node:path'
import { runCommand } from '../../../util/run-command.ts'
import { systemPath } from '../box-environment.ts'
import { findProgram } from '../find-program.ts'
import type { DockerOptions } from '../sandbox-options.ts'
import { SandboxUnavailable } from '../sandbox-options.ts'

/** Command-line program of a container engine. */
export interface Engine {
  readonly program: string
  /** Complete environment of the program. */
  readonly environment: Readonly<Record<string, string>>
  /** Runs a command and returns its output. Rejects with EngineFailure if it fails or takes more than a minute. */
  run(args: readonly string[]): Promise<string>
}

/** A failed command of the engine's program; the message is its last line of output. */
class EngineFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EngineFailure'
  }
}

/** Throws SandboxUnavailable if the program is not installed. */
export function createEngine(options: DockerOptions): Engine {
  const program = programOf(options.program)
  const environment = { PATH: systemPath, ...options.environment }
  return {
    program,
    environment,
    run: async (args) => {
      const how = { env: environment, cwd: '/', timeout: 60_000, maxBuffer: 2 ** 24 }
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

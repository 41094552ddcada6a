import { InvalidArgumentError } from 'commander'
import type { Config } from '../../config/config.ts'
import type { Role } from '../../domain/caller.ts'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { print, printError } from '../print.ts'

/** Implements `pair --api`: prints the token to standard output and instructions to standard error. */
export async function printToken(invocation: Invocation, name: string, role: Role): Promise<void> {
  const config = await readConfiguration(invocation)
  const { pairProgram } = await import('./pair-program.ts')
  const { usualListen } = await import('../../config/schema/schema-runtime.ts')
  const { environment } = invocation
  const signal = interruption()
  const { callerId, token } = await pairProgram({ config, environment, name, role, signal })
  await print(`${token}\n`)
  const listen = config.http.listen ?? usualListen
  await printError(explain(config, listen, callerId, role))
}

/** Parses the program name, which follows `api:`. */
export function toProgramName(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,31}$/.test(text)) return text
  throw new InvalidArgumentError('Expected at most 32 lower-case letters, digits and `-`.')
}

const sees: Readonly<Record<Role, string>> = {
  user: 'the questions about calls of its own',
  approver: 'the questions about everybody’s calls',
  operator: 'the questions about everybody’s calls',
}

function explain({ http }: Config, listen: string, callerId: string, role: Role): string {
  const base = http.publicUrl?.replace(/\/$/, '') ?? `http://${listen}`
  const lines = [
    '',
    `This is the token of ${callerId} (role: ${role}). It is not shown again; keep it as a password.`,
    `With it a program is told of ${sees[role]}, and may answer them:`,
    '',
    `  curl --no-buffer --header "Authorization: Bearer $TOKEN" ${base}/v1/events`,
    '',
    `countersign pair revoke ${callerId} ends it. docs/reference/api.md has the rest.`,
    ...(http.api ? [] : ['', 'warning: [http] api is off here: nothing serves it']),
  ]
  return `${lines.join('\n')}\n`
}

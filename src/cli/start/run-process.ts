import { createLog } from '../../app/logs/create-log.ts'
import { toJsonLine } from '../../app/logs/to-json-line.ts'
import { checkRole, needlessSecrets, type Role } from '../../app/processes/check-state.ts'
import type { ProcessOptions } from '../../app/settings/process-options.ts'
import { unknownTools } from '../../app/unknown-tools.ts'
import { CommandError } from '../../domain/command-error.ts'
import { slackProblems } from '../../gateway/slack-problems.ts'
import { keepHeapSmall } from '../../util/keep-heap-small.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { printError } from '../print.ts'
import { endSignal, endSoon } from './end-signal.ts'

/** Runs one process of the product until it is asked to end; returns its exit code. */
export async function runProcess(role: Role, invocation: Invocation): Promise<number> {
  keepHeapSmall()
  const config = await readConfiguration(invocation)
  const ofTools = role === 'agent' ? unknownTools(config) : []
  const ofSlack = role === 'gateway' ? slackProblems(config) : []
  const problems = [...checkRole(role, config), ...ofSlack, ...ofTools]
  if (problems.length > 0) throw new CommandError(problems.join('\n'), { code: 'CONFIG_INVALID' })
  const signal = endSignal()
  const needless = needlessSecrets(role, config)
  if (needless.length > 0) {
    const words = `Warning: a ${role} does not need ${needless.join(', ')}; leave it out.`
    await printError(`${config.logging.format === 'json' ? toJsonLine(words) : words}\n`)
  }
  const { environment } = invocation
  const log = createLog(config, { process: role, output: process.stdout })
  try {
    await run(role, { config, environment, log, output: process.stderr, signal })
  } catch (error) {
    // Errors caused by the requested end are not failures.
    if (!signal.aborted) throw error
  } finally {
    endSoon()
  }
  return 0
}

async function run(role: Role, options: ProcessOptions): Promise<void> {
  switch (role) {
    case 'gateway': {
      const { runGatewayProcess } = await import('../../app/processes/run-gateway-process.ts')
      return runGatewayProcess(options)
    }
    case 'agent': {
      const { runAgentProcess } = await import('../../app/processes/run-agent-process.ts')
      return runAgentProcess(options)
    }
    case 'worker': {
      const { runWorkerProcess } = await import('../../app/processes/run-worker-process.ts')
      return runWorkerProcess(options)
    }
    default:
      return role satisfies never
  }
}

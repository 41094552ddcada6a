import { createProductRedactor } from '../../app/logs/create-product-redactor.ts'
import { checkRole, type Role } from '../../app/processes/check-state.ts'
import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import { loadConfig } from '../../config/load.ts'
import {
  checkConfiguration,
  checkDataDirectory,
  checkNode,
  configurationFailures,
} from './check-host.ts'
import { checkKeys, checkVerifyKeys } from './check-keys.ts'
import { checkModels } from './check-model.ts'
import { checkRedis } from './check-queue.ts'
import {
  checkFilters,
  checkPermissions,
  checkSecretPatterns,
  checkShadow,
  checkTools,
} from './check-rules.ts'
import { checkSandbox } from './check-sandbox.ts'
import { checkSlack } from './check-slack.ts'
import { checkTelegram } from './check-telegram.ts'
import { examineDatabase, guarded, openTrialEnvironment } from './examine-database.ts'
import { type Finding, fail, ok } from './finding.ts'

/** CLI-01: checks everything the product needs and yields findings one by one, without secrets. */
export async function* examine(
  environment: Environment,
  cwd: string,
  role?: Role,
): AsyncGenerator<Finding> {
  yield checkNode()
  const loaded = loadConfig({ cwd, environment })
  if (loaded.kind === 'invalid') {
    yield* configurationFailures(loaded.problems)
    return
  }
  const { config } = loaded
  const redact = redactorFor(config)
  for await (const finding of examineAll(config, environment, role)) yield redact(finding)
}

/** Runs the checks for `start`, or for one role. */
async function* examineAll(
  config: Config,
  environment: Environment,
  role: Role | undefined,
): AsyncGenerator<Finding> {
  const isFor = (...roles: readonly Role[]): boolean => role === undefined || roles.includes(role)
  yield checkConfiguration(config)
  yield* checkSecretPatterns(config)
  if (role !== undefined) yield* checkSettings(role, config)
  yield* await guarded('data directory', () => checkDataDirectory(config.dataDir))
  {
    await using place = await openTrialEnvironment(config)
    if (isFor('gateway', 'agent')) yield* await examineDatabase(place, environment)
    yield* await guarded('queue', () => checkRedis(config))
    if (isFor('worker')) {
      yield* await guarded('sandbox', () => checkSandbox(place.config, environment))
      yield* await guarded('output filters', () => checkFilters(config))
    }
  }
  if (isFor('agent')) yield* await guarded('signing key', () => checkKeys(config))
  if (role === 'worker') yield* await guarded('verifying keys', () => checkVerifyKeys(config))
  if (isFor('agent')) yield* await guarded('model', () => checkModels(config))
  if (isFor('agent')) yield* checkTools(config)
  if (isFor('gateway')) yield* await guarded('telegram', () => checkTelegram(config))
  if (isFor('gateway')) yield* await guarded('slack', () => checkSlack(config))
  if (isFor('agent'))
    yield* await guarded('permissions', () => checkPermissions(config, environment))
  if (isFor('agent')) yield* await guarded('shadow rules', () => checkShadow(config))
}

/** Checks settings because of which `countersign gateway`, `agent` or `worker` would refuse to start. */
function checkSettings(role: Role, config: Config): readonly Finding[] {
  const refusals = checkRole(role, config)
  if (refusals.length === 0)
    return [ok(role, 'is given what it needs, and nothing that it must not hold')]
  return refusals.map((why) =>
    fail(role, why, 'docs/how-to/deploy.md says what each process is given'),
  )
}

/** Redacts findings, since messages of servers and the operating system may repeat secrets. */
function redactorFor(config: Config): (finding: Finding) => Finding {
  const redactor = createProductRedactor(config)
  return (finding) => ({ ...finding, finding: redactor.redact(finding.finding).text })
}

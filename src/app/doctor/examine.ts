import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import { loadConfig } from '../../config/load.ts'
import { knownSecrets } from '../../config/secrets.ts'
import { createRedactor } from '../../rules/output/create-redactor.ts'
import { checkConfiguration, configurationFailures } from './check-configuration.ts'
import { checkDataDirectory } from './check-data-directory.ts'
import { checkKeys } from './check-keys.ts'
import { checkModel } from './check-model.ts'
import { checkNode } from './check-node.ts'
import { checkPermissions } from './check-permissions.ts'
import { checkSandbox } from './check-sandbox.ts'
import { checkTelegram } from './check-telegram.ts'
import { examineDatabase } from './examine-database.ts'
import type { Finding } from './finding.ts'
import { guarded } from './guarded.ts'
import { openTrialPlace } from './trial-place.ts'

/** CLI-01: looks at everything the product needs, one finding after the other. Findings hold no secrets. */
export async function* examine(environment: Environment, cwd: string): AsyncGenerator<Finding> {
  yield checkNode()
  const loaded = loadConfig({ cwd, environment })
  if (loaded.kind === 'invalid') {
    yield* configurationFailures(loaded.problems)
    return
  }
  const redact = redactorFor(loaded.config)
  for await (const finding of examineAll(loaded.config, environment)) yield redact(finding)
}

async function* examineAll(config: Config, environment: Environment): AsyncGenerator<Finding> {
  yield checkConfiguration(config)
  yield* await guarded('data directory', () => checkDataDirectory(config.dataDir))
  {
    await using place = await openTrialPlace(config)
    yield* await examineDatabase(place, environment)
    yield* await guarded('sandbox', () => checkSandbox(place.config, environment))
  }
  yield* await guarded('signing key', () => checkKeys(config))
  yield checkModel(config)
  yield* await guarded('telegram', () => checkTelegram(config))
  yield* await guarded('permissions', () => checkPermissions(config))
}

/** What others said, a server or an operating system, may repeat what it was given. */
function redactorFor(config: Config): (finding: Finding) => Finding {
  const values = knownSecrets(config).map((value) => ({ kind: 'own-secret', value }))
  const redactor = createRedactor(values)
  return (finding) => ({ ...finding, finding: redactor.redact(finding.finding).text })
}

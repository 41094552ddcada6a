import { rulesWarnings } from '../../agent/rules-warnings.ts'
import type { Config } from '../../config/config.ts'
import { idleSections } from '../idle-sections.ts'
import { describeModels } from '../open-models.ts'
import type { Product } from '../open-product.ts'
import { idleRules } from '../unknown-tools.ts'
import { approvalWarnings } from './approval-warnings.ts'

/**
 * Returns the start message: what runs here, and warnings about safety. `chat` is where it is read, since commands can
 * only be typed in a terminal.
 */
export async function greetingLines(
  product: Product,
  config: Config,
  chat: 'terminal' | 'elsewhere' = 'terminal',
): Promise<readonly string[]> {
  const { ctx, driver, sandbox } = product
  const ofRules = await rulesWarnings(ctx.permissions, config.worker.name)
  const ofApprovals = await approvalWarnings(ctx.db, config)
  return [
    `Model: ${describeModels(ctx)}. Sandbox: ${sandbox}.${chat === 'terminal' ? ' /help lists the commands.' : ''}`,
    ...driver.warnings.map((warning) => `Warning: ${warning}.`),
    ...[...ofRules, ...ofApprovals, ...idleRules(config), ...idleSections(config)].map(
      (warning) => `Warning: ${warning}`,
    ),
  ]
}

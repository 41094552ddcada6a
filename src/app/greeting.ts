import type { Config } from '../config/config.ts'
import { allowsEverything } from '../rules/gate/permissions/allows-everything.ts'
import { parsePermissions } from '../rules/gate/permissions/parse-permissions.ts'
import type { Product } from './open-product.ts'

/**
 * What whoever starts it should know first: what runs here, and in plain words what makes it less safe. `chat` is where
 * they read it: commands can be written in a terminal only.
 */
export async function greetingLines(
  product: Product,
  config: Config,
  chat: 'terminal' | 'elsewhere' = 'terminal',
): Promise<readonly string[]> {
  const { kernel, driver, sandbox } = product
  const { text } = await kernel.permissions.load(config.worker.name)
  const rules = parsePermissions(text, { home: '/workspace' })
  const path = kernel.permissions.describe(config.worker.name)
  return [
    `Model: ${kernel.model.name}. Sandbox: ${sandbox}.${chat === 'terminal' ? ' /help lists the commands.' : ''}`,
    ...driver.warnings.map((warning) => `Warning: ${warning}.`),
    ...(allowsEverything(rules)
      ? [`Warning: the rules in ${path} allow everything; nothing asks, commands included.`]
      : []),
    ...(rules.kind === 'damaged'
      ? rules.problems.map(
          ({ line, message }) =>
            `Warning: ${path}, line ${line}: ${message}. Until it is mended everything asks.`,
        )
      : []),
  ]
}

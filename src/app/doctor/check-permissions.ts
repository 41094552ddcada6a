import type { Config } from '../../config/config.ts'
import { showPermissions } from '../show-permissions.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** The rules of the configured worker. */
export async function checkPermissions(config: Config): Promise<Finding> {
  const view = await showPermissions(config)
  const [problem] = view.problems
  if (problem !== undefined) {
    const finding = `${view.path}:${problem.line}: ${problem.message}; until it is mended every call asks`
    return fail('permissions', finding, 'countersign permissions show lists all that is wrong')
  }
  if (view.allowsEverything) {
    const finding = 'the gate is switched off: the rules allow everything, and nothing asks'
    return warn('permissions', finding, `edit ${view.path}`)
  }
  const place = view.isThere ? view.path : 'the defaults, written at the first start'
  return ok('permissions', `${view.rules} rules, ${place}`)
}

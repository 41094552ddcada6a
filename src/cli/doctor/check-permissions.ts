import type { Config } from '../../config/config.ts'
import type { Environment } from '../../config/env.ts'
import { type PermissionsView, showPermissions } from '../permissions/show-permissions.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const what = 'permissions'

/** Checks the rules of the configured worker. */
export async function checkPermissions(config: Config, environment: Environment): Promise<Finding> {
  const { signal } = new AbortController()
  const view = await showPermissions({ config, environment, signal })
  return toFailure(view) ?? toWarning(view) ?? ok(what, `${view.rules} rules, ${placeOf(view)}`)
}

function toFailure({ path, problems, failed }: PermissionsView): Finding | undefined {
  const [problem] = problems
  if (problem !== undefined) {
    const finding = `${path}:${problem.line}: ${problem.message}; until it is mended every call asks`
    return fail(what, finding, 'countersign permissions show lists all that is wrong')
  }
  const [example] = failed
  if (example === undefined) return undefined
  const finding = `${path}:${example.line}: ${example.message}; until it holds, all that is not denied asks`
  return fail(what, finding, 'countersign permissions test tries every example')
}

function toWarning({ path, unread, notes, ...view }: PermissionsView): Finding | undefined {
  if (view.allowsEverything) {
    const finding = 'the gate is switched off: the rules allow everything, and nothing asks'
    return warn(what, finding, 'countersign permissions edit changes them')
  }
  if (unread !== undefined) {
    const finding = `nobody reads ${unread}: the rules are kept in the database`
    return warn(
      what,
      finding,
      `countersign permissions set < ${unread} puts them there; else remove it`,
    )
  }
  const [note] = notes
  if (note === undefined) return undefined
  return warn(what, `${path}:${note.line}: ${note.message}`, 'countersign permissions edit')
}

function placeOf({ path, isThere }: PermissionsView): string {
  return isThere ? path : 'the defaults, written at the first start'
}

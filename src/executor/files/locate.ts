import { posix } from 'node:path'
import { optionalText, textArgument } from '../arguments.ts'
import type { Call } from '../call.ts'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { canonicalPath, DeadLink } from './canonical-path.ts'
import {
  assertAccess,
  assertJudged,
  createFileAccess,
  type FileAccess,
  type Use,
} from './file-access.ts'

/** Path argument, resolved and checked. */
export interface LocatedPath {
  /** Path as the model wrote it. */
  readonly given: string
  readonly canonical: string
  readonly access: FileAccess
}

/** FILE-01, FILE-02, threat 1: resolves the argument `name`; ends the call if it resolves elsewhere or is not allowed. */
export async function locate(call: Call, name: string, use: Use): Promise<LocatedPath> {
  return locatePath(call, textArgument(call.request, name), use, true)
}

/** Resolves an optional argument; its default, the workspace, needs no evaluation. */
export async function locateOptional(call: Call, name: string, use: Use): Promise<LocatedPath> {
  const given = optionalText(call.request, name)
  return locatePath(call, given ?? '.', use, given !== undefined)
}

/**
 * Resolves arguments that name entries to remove, move, copy or create. A link at the last segment is meant itself and is
 * not followed.
 */
export async function locateEntries(
  call: Call,
  arguments_: readonly { readonly name: string; readonly uses: readonly Use[] }[],
): Promise<readonly LocatedPath[]> {
  const { rules, judged } = call.request
  const access = await createFileAccess(rules)
  const places: LocatedPath[] = []
  for (const { name, uses } of arguments_) {
    const given = textArgument(call.request, name)
    const path = toAbsolute(given, rules.workspace)
    const parent = await canonicalWithin(posix.dirname(path), access, uses[0] ?? 'write', given)
    const canonical = posix.join(parent, posix.basename(path))
    places.push({ given, canonical, access })
  }
  assertJudged(
    access,
    judged,
    places.map(({ canonical }) => canonical),
  )
  for (const [index, { canonical, given }] of places.entries()) {
    for (const use of arguments_[index]?.uses ?? []) assertAccess(access, canonical, use, given)
  }
  return places
}

/** Ends the call if an entry, or anything below it, may not be removed or replaced. */
export function assertReplaceable({ access, canonical, given }: LocatedPath): void {
  const why = access.whyNotWhole(canonical)
  if (why !== undefined) fail('policy_blocked', `${showName(given)} ${why}`)
  if (!access.mayTouch(canonical)) fail('policy_blocked', `${showName(given)} is denied by a rule`)
}

async function locatePath(
  call: Call,
  given: string,
  use: Use,
  isJudged: boolean,
): Promise<LocatedPath> {
  const { rules, judged } = call.request
  const path = toAbsolute(given, rules.workspace)
  const access = await createFileAccess(rules)
  const canonical = await canonicalWithin(path, access, use, given)
  if (isJudged || canonical !== access.workspace) assertJudged(access, judged, [canonical])
  assertAccess(access, canonical, use, given)
  return { given, canonical, access }
}

/** Resolves a path. A link that leads outside the box is reported as outside rather than dead. */
async function canonicalWithin(
  path: string,
  access: FileAccess,
  use: Use,
  given: string,
): Promise<string> {
  try {
    return await canonicalPath(path, given)
  } catch (error) {
    if (error instanceof DeadLink) assertAccess(access, error.target, use, given)
    throw error
  }
}

/** Makes a path absolute; `~` is the workspace, which is also the home of commands. */
function toAbsolute(given: string, workspace: string): string {
  if (given === '') fail('invalid_parameters', 'path: must not be empty')
  if (given.includes('\0')) fail('invalid_parameters', 'path: must not hold a NUL character')
  if (Buffer.byteLength(given) > 4096) fail('invalid_parameters', 'path: longer than 4096 bytes')
  const expanded = given === '~' || given.startsWith('~/') ? `.${given.slice(1)}` : given
  return posix.resolve(workspace, expanded)
}

import { stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Call } from '../call.ts'
import { canonicalPath, DeadLink } from '../files/canonical-path.ts'
import { createFileAccess, type FileAccess } from '../files/file-access.ts'
import { OrdersFinder } from '../files/orders-finder.ts'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { runProgram } from './run-program.ts'

/** Maximum number of files checked for one call, about one second's work. */
const maxFiles = 10_000

/** More output than this is not looked through, in bytes. */
const maxBytes = 4_000_000

/** What `xargs` takes for the end of a word or for a quote, and what is no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name may hold them.
const splits = /[\s"'\\\u0000-\u001f\u007f\ufffd]/

type Listing = NonNullable<Call['request']['listings']>[number]

/** A name that some programs take for a variable, another host, a file of options or an order: `CC=x`, `host:x`, `@file`, `+!x`. */
const means = /^(?:[^/]*[=:]|[@+|])/

/** Of a name that ends by NUL: what is no text, and what no file of a project is called by. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name may hold them.
const garbled = /[\u0000-\u001f\u007f\ufffd]/

/** What a shell, `make` or TeX runs or writes, where a program hands a name on to it. */
const evaluated = /[`|;&<>\\"]|\$[({]/

/**
 * SHELL-04, SHELL-07: ends the call, the command itself not run, when a list of names that it will give to a program holds one
 * that would be taken for several words or for an option, or one of a file that rules keep from being read or written. SHELL-11:
 * the call goes back to the gate when a name or a written path leads to a file of orders.
 */
export async function assertNames(call: Call, bash: string): Promise<void> {
  const { listings = [], written = [], rules } = call.request
  if (listings.length + written.length === 0) return
  const access = await createFileAccess(rules)
  const orders = new OrdersFinder(call, access)
  await assertListings(call, bash, access, orders)
  for (const { path, from = [] } of written) {
    await orders.addWritten(path)
    for (const source of from) await orders.addCopied(source, path)
  }
  orders.assertJudged()
}

async function assertListings(
  call: Call,
  bash: string,
  access: FileAccess,
  orders: OrdersFinder,
): Promise<void> {
  const { listings = [] } = call.request
  let left = maxFiles
  for (const listing of listings) {
    const names = await namesOf(call, bash, listing)
    left -= names.length
    if (left < 0) refuse(listing, 'lists more files than can be checked')
    for (const name of names) {
      await assertName(name, listing, access)
      if (listing.mayWrite === true) await findOrders(name, listing, access, orders)
    }
  }
}

async function assertName(name: string, listing: Listing, access: FileAccess): Promise<void> {
  if ((listing.isNul === true ? garbled : splits).test(name))
    refuse(listing, `lists ${showName(name)}, which would be taken for several words`)
  if (listing.mayWrite === true && evaluated.test(name))
    refuse(listing, `lists ${showName(name)}, which programs may take for a command`)
  if (name.startsWith('-') || (listing.isNul === true && means.test(name)))
    refuse(listing, `lists ${showName(name)}, which would be taken for an option`)
  const path = resolve(listing.directory, name)
  if (!(await mayUse(access, path, listing.mayWrite === true)))
    refuse(listing, `lists ${showName(name)}, which rules keep from being read or written`)
}

/** Looks at a file that may be written, as it is and where it leads, and at where a copy of it goes. */
async function findOrders(
  name: string,
  { directory, into, ...listing }: Listing,
  access: FileAccess,
  orders: OrdersFinder,
): Promise<void> {
  const path = resolve(directory, name)
  await orders.addWritten(path)
  if (into === undefined) return
  if (!(await mayUse(access, join(resolve(into), basename(path)), true)))
    refuse(
      { directory, ...listing },
      `lists ${showName(name)}, whose copy rules keep from being written`,
    )
  await orders.addCopied(path, into)
}

/** Whether rules let a file be shown, and written. A dead link shows nothing, and may lead anywhere. */
async function mayUse(access: FileAccess, path: string, isWritten: boolean): Promise<boolean> {
  try {
    const canonical = await canonicalPath(path)
    const isWritable = !isWritten || access.whyNot(canonical, 'write') === undefined
    return isWritable && access.mayTouch(path) && access.mayShow(canonical)
  } catch (error) {
    if (error instanceof DeadLink) return !isWritten
    throw error
  }
}

function refuse({ text, isNul }: Listing, why: string): never {
  const how =
    isNul === true
      ? 'Name the files that you need, or list names with a folder before them, such as ./*.'
      : 'Leave it out, or end names by NUL: find -print0, grep -Z, git ls-files -z, with xargs -0.'
  fail('policy_blocked', `${showName(text)} ${why}. The command did not run. ${how}`)
}

/** The names that a listing prints; none where its directory is missing, since the command cannot get there either. */
async function namesOf(call: Call, bash: string, listing: Listing): Promise<readonly string[]> {
  const { directory, text } = listing
  const isThere = await stat(join(directory, '.')).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isThere) return []
  const quiet = { ...call, request: { ...call.request, maxStreamBytes: maxBytes } }
  const run = await runProgram(
    { ...quiet, started: (pid) => call.started(pid), progress: () => undefined },
    { file: bash, args: ['-c', `${text}\nprintf '\\0\\0'`], directory },
  )
  call.signal.throwIfAborted()
  if (run.ending.kind !== 'exited') refuse(listing, 'does not end in time')
  if (run.printed.stdout.truncated) refuse(listing, 'lists more files than can be checked')
  const printed = run.printed.stdout.toString()
  // Two of them stand behind the last name: without them not all names were read.
  if (run.ending.signal !== null || !printed.endsWith('\0\0')) refuse(listing, 'was broken off')
  const names = printed.slice(0, -2).split(listing.isNul === true ? '\0' : '\n')
  return names.filter(Boolean)
}

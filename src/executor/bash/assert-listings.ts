import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Call } from '../call.ts'
import { createFileAccess, type FileAccess } from '../files/file-access.ts'
import { fail } from '../refusal.ts'
import { showName } from '../show-text.ts'
import { maxFiles, mayShow } from './assert-globs.ts'
import { runProgram } from './run-program.ts'

/** More output than this is not looked through, in bytes. */
const maxBytes = 4_000_000

/** What `xargs` takes for the end of a word or for a quote, and what is no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name may hold them.
const splits = /[\s"'\\\u0000-\u001f\u007f\ufffd]/

type Listing = NonNullable<Call['request']['listings']>[number]

/**
 * SHELL-04, SHELL-07: ends the call, the command itself not run, when a list of names that it will give to a program holds one
 * that would be taken for several words or for an option, or one of a file that rules keep from being read.
 */
export async function assertListings(call: Call, bash: string): Promise<void> {
  const { listings = [], rules } = call.request
  if (listings.length === 0) return
  const access = await createFileAccess(rules)
  let left = maxFiles
  for (const listing of listings) {
    const names = await namesOf(call, bash, listing)
    left -= names.length
    if (left < 0) refuse(listing, 'lists more files than can be checked')
    for (const name of names) await assertName(name, listing, access)
  }
}

async function assertName(name: string, listing: Listing, access: FileAccess): Promise<void> {
  if (splits.test(name))
    refuse(listing, `lists ${showName(name)}, which would be taken for several words`)
  if (name.startsWith('-'))
    refuse(listing, `lists ${showName(name)}, which would be taken for an option`)
  if (!(await mayShow(access, resolve(listing.directory, name))))
    refuse(listing, `lists ${showName(name)}, which rules keep from being read or written`)
}

function refuse({ text }: Listing, why: string): never {
  const how =
    'Leave it out, or end names by NUL: find -print0, grep -Z, git ls-files -z, with xargs -0.'
  fail('policy_blocked', `${showName(text)} ${why}. The command did not run. ${how}`)
}

/** The lines that a listing prints; none where its directory is missing, since the command cannot get there either. */
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
    { file: bash, args: ['-c', `${text}\nprintf '\\0'`], directory },
  )
  call.signal.throwIfAborted()
  if (run.ending.kind !== 'exited') refuse(listing, 'does not end in time')
  if (run.printed.stdout.truncated) refuse(listing, 'lists more files than can be checked')
  const printed = run.printed.stdout.toString()
  // The NUL stands behind the last name: without it not all of them were read.
  if (run.ending.signal !== null || !printed.endsWith('\0')) refuse(listing, 'was broken off')
  return printed.slice(0, -1).split('\n').filter(Boolean)
}

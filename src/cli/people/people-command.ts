import type { Command } from 'commander'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { oneLineJson, plainText, print, printError } from '../print.ts'
import type { Forgotten } from './forget-person.ts'

export function addPeopleCommand(program: Command, invocation: Invocation): void {
  const people = program
    .command('people')
    .description('Export or delete the data of a person.')
    .addHelpText('after', help)
  addExport(people, invocation)
  addForget(people, invocation)
}

function addExport(people: Command, invocation: Invocation): void {
  people
    .command('export')
    .description('Print all data of an account as JSON lines.')
    .argument('<account>', 'an id as pair list shows it, such as telegram:42')
    .addHelpText('after', exportHelp)
    .action(async (callerId: string) => {
      const config = await readConfiguration(invocation)
      const { exportPerson } = await import('./export-person.ts')
      const count = await exportPerson({
        config,
        environment: invocation.environment,
        callerId,
        signal: interruption(),
        write: (row) => print(`${oneLineJson(row)}\n`),
      })
      if (count > 0) return
      await printError(`nothing is kept of ${plainText(callerId)}\n`)
      invocation.exitCode = 1
    })
}

function addForget(people: Command, invocation: Invocation): void {
  people
    .command('forget')
    .description('Delete all data of an account; the audit keeps its rows under a pseudonym.')
    .argument('<account>', 'an id as pair list shows it, such as telegram:42')
    .option('--yes', 'delete; without it, only count what would be deleted')
    .addHelpText('after', help)
    .action(async (callerId: string, { yes = false }: { yes?: boolean }) => {
      const config = await readConfiguration(invocation)
      const { forgetPerson } = await import('./forget-person.ts')
      const { environment } = invocation
      const signal = interruption()
      const forgotten = await forgetPerson({
        config,
        environment,
        callerId,
        isTrial: !yes,
        signal,
      })
      await print(`${wordsOf(callerId, forgotten, yes).join('\n')}\n`)
      const { left } = forgotten
      if (left.length === 0) return
      await printError(`${leftWords(left)}\n`)
      invocation.exitCode = 1
    })
}

function wordsOf(callerId: string, forgotten: Forgotten, isDone: boolean): readonly string[] {
  const { conversations, turns, messages, live, oldRows, linked, role } = forgotten
  const who = plainText(callerId)
  const what = `${conversations.length} conversations, ${turns} turns, ${messages} messages`
  return [
    isDone
      ? `Deleted of ${who}: ${what}.`
      : `${who} has ${what}. Nothing was deleted yet; add --yes to delete.`,
    ...(live > 0 ? [`${live} turns are under way or wait for an answer: end them first.`] : []),
    ...(oldRows > 0
      ? [`${oldRows} older rows of the audit name the account; [audit] retention_days drops them.`]
      : []),
    ...(linked.length > 0
      ? [`Linked accounts are not touched: ${linked.map(plainText).join(', ')}.`]
      : []),
    ...(role === undefined
      ? []
      : [`The configuration gives them the role ${role}: take them out of it.`]),
    ...(conversations.length > 0
      ? ['On machines of other workers remove the workspaces and snapshots of these conversations:']
      : []),
    ...conversations.map((id) => `  workspaces/${id} snapshots/${id}-*`),
    ...traceWords(forgotten),
  ]
}

/** Describes the places that may still name the person. */
function traceWords({ traces }: Forgotten): readonly string[] {
  const elsewhere =
    'Not reached: countersign.log, traces, backups made before, and the messages in Telegram and Slack.'
  if (traces === undefined) return [elsewhere]
  const counted = traces.map(({ table, rows }) => `${table} ${rows}`).join(', ')
  return [
    counted === ''
      ? 'No other text in the database has their account, username or display name.'
      : `Text by others, or covered by a hash, still has their account, username or display name (rows): ${counted}.`,
    elsewhere,
  ]
}

function leftWords(left: readonly string[]): string {
  const places = left.map((id) => `  workspaces/${id} snapshots/${id}-*`)
  return ['These files could not be removed; remove them as root:', ...places].join('\n')
}

const exportHelp = `
  $ npx countersign people export telegram:42 > person.jsonl

Exit codes: 0 printed, 1 nothing is kept of it, 2 wrong usage or configuration.`

const help = `
  $ npx countersign people export telegram:42 > person.jsonl
  $ npx countersign people forget telegram:42
  $ npx countersign people forget telegram:42 --yes

forget deletes the account's conversations with their files, what it wrote and had done
in those of others, its roles, links and tokens, and the key of its pseudonym in the
audit: rows stay, and the chain holds, but nobody can find out whose they are. In the
product's own words the pseudonym takes the place of account and username. What others wrote,
and what a hash covers, stays: forget counts the rows in which the account, a username or the
display name still stands, by table. Logs, traces, backups made before, and messages in
Telegram and Slack are not reached (docs/how-to/read-the-audit.md). It needs the role that owns the tables,
as audit prune does.

Exit codes: 0 done, 1 nothing kept, a turn is live, or files are left, 2 wrong usage or
configuration.`

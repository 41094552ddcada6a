import { type Command, InvalidArgumentError, Option } from 'commander'
import type { AllowedPerson, PeopleView } from '../../app/list-people.ts'
import type { Role } from '../../domain/caller.ts'
import { assertNever } from '../../util/guards.ts'
import { interruption } from '../interruption.ts'
import { type Invocation, readConfiguration } from '../invocation.ts'
import { alignRows, oneLineJson, plainText, print, printError } from '../print.ts'
import type { PairingOffer, RevokedPairing } from './pair.ts'
import { printToken, toProgramName } from './pair-program-command.ts'

const headings = ['CALLER', 'NAME', 'ROLE', 'FROM', 'SINCE']

const linkHeadings = ['ONE PERSON', 'SINCE', 'LINKED BY']

const programHeadings = ['PROGRAM', 'ROLE', 'SINCE', 'LAST USED (UTC)']

const nobody = 'Nobody may talk to the bot yet. countersign pair lets somebody in.'

export function addPairCommand(program: Command, invocation: Invocation): void {
  const pairing = program
    .command('pair')
    .description('Invite a person with a one-time code, or create a token for a program.')
    .addOption(
      new Option('--role <role>', 'role to give')
        .choices(['user', 'approver', 'operator'])
        .default('user'),
    )
    .option('--minutes <count>', 'minutes until the code expires, 1 to 60', toMinutes, 10)
    .addOption(
      new Option('--api <name>', 'create a token for a program instead, as api:<name>')
        .argParser(toProgramName)
        .conflicts('minutes'),
    )
    .addHelpText('after', help)
    .action(async ({ role, minutes, api }: { role: Role; minutes: number; api?: string }) => {
      if (api !== undefined) return printToken(invocation, api, role)
      const config = await readConfiguration(invocation)
      const { pair } = await import('./pair.ts')
      const { environment } = invocation
      const signal = interruption()
      const offer = await pair({ config, environment, role, minutes, signal })
      await print(`${offer.code}\n`)
      await printError(explain(offer, role, minutes))
    })
  addList(pairing, invocation)
  addRevoke(pairing, invocation)
  addUnlink(pairing, invocation)
}

function addList(pairing: Command, invocation: Invocation): void {
  pairing
    .command('list')
    .description('List people who may talk to the bot, valid codes, and tokens.')
    .option('--json', 'all of it as one JSON object')
    .addHelpText('after', listHelp)
    .action(async ({ json }: { json?: true }) => {
      const config = await readConfiguration(invocation)
      const { listPeople } = await import('../../app/list-people.ts')
      const { environment } = invocation
      const view = await listPeople({ config, environment, signal: interruption() })
      if (json === true) return await print(`${oneLineJson(view)}\n`)
      await print(`${peopleTable(view).join('\n')}\n`)
    })
}

function addRevoke(pairing: Command, invocation: Invocation): void {
  pairing
    .command('revoke')
    .description('Revoke a role given by a code, or the token of a program.')
    .argument('<caller>', 'whose: an id as pair list shows it, such as telegram:42 or api:desk')
    .addHelpText('after', '\n  $ npx countersign pair revoke telegram:42')
    .action(async (callerId: string) => {
      const config = await readConfiguration(invocation)
      const { revokePairing } = await import('./pair.ts')
      const { environment } = invocation
      const signal = interruption()
      const revoked = await revokePairing({ config, environment, callerId, signal })
      await print(describeRevoked(callerId, revoked))
    })
}

function addUnlink(pairing: Command, invocation: Invocation): void {
  pairing
    .command('unlink')
    .description('Unlink an account from the accounts of the same person.')
    .argument('<caller>', 'which: an id as pair list shows it, such as telegram:42')
    .addHelpText('after', '\n  $ npx countersign pair unlink telegram:42')
    .action(async (callerId: string) => {
      const config = await readConfiguration(invocation)
      const { unlinkAccount } = await import('./pair.ts')
      const { environment } = invocation
      const signal = interruption()
      const others = await unlinkAccount({ config, environment, callerId, signal })
      const those = others.map(plainText).join(', ')
      await print(`${plainText(callerId)} is no longer linked with ${those}.\n`)
    })
}

function toMinutes(text: string): number {
  const minutes = Number(text)
  if (/^\d+$/.test(text) && minutes >= 1 && minutes <= 60) return minutes
  throw new InvalidArgumentError('Expected a whole number of minutes from 1 to 60.')
}

function explain(offer: PairingOffer, role: Role, minutes: number): string {
  const until = `${offer.expiresAt.toISOString().slice(11, 16)} UTC`
  const lines = [
    '',
    'Give this code to one person. They send it to the bot, in a private chat with it,',
    `within ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} (until ${until}). It works once, for whoever sends it first.`,
    `Then they may ${offer.ability} (role: ${role}).`,
    ...where(offer),
    ...(offer.isClosed ? ['', closedWarning] : []),
  ]
  return `${lines.join('\n')}\n`
}

/** Describes the bot that the code is for. */
function where({ bot, code }: PairingOffer): readonly string[] {
  switch (bot.kind) {
    case 'named':
      return [
        '',
        'Or give them this link instead, which opens the chat and sends the code:',
        `https://t.me/${bot.username}?start=${code}`,
      ]
    case 'silent':
      return []
    case 'refused':
      return ['', 'warning: Telegram refused the bot token: check TELEGRAM_BOT_TOKEN']
    case 'no_token':
      return ['', noToken]
    default:
      return assertNever(bot)
  }
}

const noToken =
  'warning: no TELEGRAM_BOT_TOKEN here: the code works wherever this database is served'

const closedWarning =
  'warning: 50 codes that people sent within the last day were wrong, and until they are\nolder no code is looked at. Put the id of the person into the configuration instead, or wait.'

function describeRevoked(callerId: string, { name, revoked, left }: RevokedPairing): string {
  if (callerId.startsWith('api:')) return `The token of ${callerId} (${revoked}) is void.\n`
  const who = plainText(`${callerId} (${name})`)
  const rest =
    left === undefined
      ? 'They may not talk to the bot any more. What they have begun goes on; /stop ends it.'
      : `The configuration still gives them the role ${left}; take them out of it there.`
  return `${who} is no longer ${revoked} by pairing.\n${rest}\n`
}

const help = `
  $ npx countersign pair
  $ npx countersign pair --role approver --minutes 30
  $ npx countersign pair list
  $ npx countersign pair revoke telegram:42
  $ npx countersign pair unlink telegram:42
  $ npx countersign pair --api desk --role approver

It prints a code. Whoever sends it to the bot, in a private chat, gets the role:
  user        talks to the bot, and answers questions about own requests
  approver    also answers questions about others' requests, ends their turns, and makes rules
              that hold for everybody
  operator    also reads everybody's audit, lifts budgets and chooses workers

The code alone goes to standard output; instructions go to standard error, with a link that
brings it to the bot when Telegram says which bot that is. The code is stored as a hash only,
and is never shown again. The other way is the configuration: allowed_users, approvers and
operators of [telegram] and [slack], by id or username.

With --api it prints a token instead, by which a program reads questions and answers them as
api:<name> with the role (docs/reference/api.md). Give each program a token of its own.

It works while the product runs and while it does not.

Exit codes: 0 done, 1 it could not be done, 2 wrong usage or configuration.`

const listHelp = `
  $ npx countersign pair list
  $ npx countersign pair list --json | jq -r '.people[] | [.id, .role] | @tsv'

FROM says where the role comes from: the configuration, a pairing code, or both; the
higher one counts. A username of the configuration shows as telegram:@name until the
first account with it has written; from then on it means that account alone.
ONE PERSON lists accounts that somebody linked by /link, each person's together; = stands
before all but the first. They count once where several must approve.
PROGRAM lists tokens of the API, with their last use to the minute.
SINCE is the day of their first message. Codes themselves are never shown again.`

/** Formats people, open codes and programs with a token. */
function peopleTable({ people, openCodes, linked, programs }: PeopleView): readonly string[] {
  const codes = openCodes.map(({ role, expiresAt }) => {
    return `  ${role.padEnd(8)}  until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  })
  return [
    ...(people.length === 0 ? [nobody] : alignRows([headings, ...people.map(cellsOf)])),
    '',
    ...(codes.length === 0 ? ['No code is open.'] : ['Open codes:', ...codes]),
    ...(linked.length === 0 ? [] : ['', ...alignRows([linkHeadings, ...linkRows(linked)])]),
    ...(programs.length === 0
      ? []
      : ['', ...alignRows([programHeadings, ...programs.map(toCells)])]),
  ]
}

/** Formats linked accounts, those of a person together, all but the first marked. */
function linkRows(linked: PeopleView['linked']): readonly (readonly string[])[] {
  return linked.map(({ callerId, person, linkedAt, linkedBy }, index) => {
    const isFirst = linked[index - 1]?.person !== person
    const day = linkedAt.toISOString().slice(0, 10)
    return [isFirst ? callerId : `= ${callerId}`, day, linkedBy].map(plainText)
  })
}

type Program = PeopleView['programs'][number]

function toCells({ id, role, since, lastUsedAt }: Program): readonly string[] {
  const used = lastUsedAt?.toISOString().slice(0, 16).replace('T', ' ') ?? 'never'
  return [id, role, since.toISOString().slice(0, 10), used].map(plainText)
}

function cellsOf({ id, name, role, since, ...from }: AllowedPerson): readonly string[] {
  const day = since?.toISOString().slice(0, 10) ?? 'not seen yet'
  return [id, name ?? '-', role, sourceOf(from), day].map(plainText)
}

function sourceOf({ configured, paired }: Pick<AllowedPerson, 'configured' | 'paired'>): string {
  if (configured === undefined) return 'pairing'
  if (paired === undefined) return 'configuration'
  return `configuration (${configured}), pairing (${paired})`
}

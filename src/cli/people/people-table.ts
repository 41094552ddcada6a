import type { AllowedPerson, PeopleView } from '../../app/list-people.ts'
import { alignRows } from '../align-rows.ts'
import { plainText } from '../plain-text.ts'

const headings = ['CALLER', 'NAME', 'ROLE', 'FROM', 'SINCE']

/** Lines for people: who may talk, which codes are open, and which programs have a token. */
export function peopleTable({
  people,
  openCodes,
  linked,
  programs,
}: PeopleView): readonly string[] {
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

const linkHeadings = ['ONE PERSON', 'SINCE', 'LINKED BY']

/** An account a line; the accounts of the same person follow on each other, and the first of them is not indented. */
function linkRows(linked: PeopleView['linked']): readonly (readonly string[])[] {
  return linked.map(({ callerId, person, linkedAt, linkedBy }, index) => {
    const isFirst = linked[index - 1]?.person !== person
    const day = linkedAt.toISOString().slice(0, 10)
    return [isFirst ? callerId : `= ${callerId}`, day, linkedBy].map(plainText)
  })
}

const programHeadings = ['PROGRAM', 'ROLE', 'SINCE', 'LAST USED (UTC)']

type Program = PeopleView['programs'][number]

function toCells({ id, role, since, lastUsedAt }: Program): readonly string[] {
  const used = lastUsedAt?.toISOString().slice(0, 16).replace('T', ' ') ?? 'never'
  return [id, role, since.toISOString().slice(0, 10), used].map(plainText)
}

const nobody = 'Nobody may talk to the bot yet. countersign pair lets somebody in.'

function cellsOf({ id, name, role, since, ...from }: AllowedPerson): readonly string[] {
  const day = since?.toISOString().slice(0, 10) ?? 'not seen yet'
  return [id, name ?? '-', role, sourceOf(from), day].map(plainText)
}

function sourceOf({ configured, paired }: Pick<AllowedPerson, 'configured' | 'paired'>): string {
  if (configured === undefined) return 'pairing'
  if (paired === undefined) return 'configuration'
  return `configuration (${configured}), pairing (${paired})`
}

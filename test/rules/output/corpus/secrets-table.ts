import type { Redactor } from '../../../../src/rules/output/create-redactor.ts'
import { lookAlikes } from './look-alikes.ts'
import { corpusSeed, type SecretCase, secretCases } from './secret-cases.ts'

/** Generates the table of docs/secrets.md: secrets of the corpus that are found and missed, and false positives. */
export function secretsTable(redactor: Redactor): string {
  const secrets = countBy(secretCases(corpusSeed), (one) => !isFound(redactor, one))
  const others = countBy(lookAlikes, ({ text }) => redactor.redact(text).text !== text)
  return [
    '| credentials | texts | found | missed |',
    '|---|---|---|---|',
    ...secrets.map(
      ({ family, all, wrong }) => `| ${family} | ${all} | ${all - wrong} | ${wrong} |`,
    ),
    '',
    '| look-alikes | texts | false alarms |',
    '|---|---|---|',
    ...others.map(({ family, all, wrong }) => `| ${family} | ${all} | ${wrong} |`),
  ].join('\n')
}

/** Whether nothing of the secret remains: neither all of it nor all but its first eight characters. */
export function isFound(redactor: Redactor, { text, secret }: SecretCase): boolean {
  const clean = redactor.redact(text).text
  return !clean.includes(secret) && !(secret.length > 24 && clean.includes(secret.slice(8)))
}

interface Count {
  readonly family: string
  readonly all: number
  readonly wrong: number
}

function countBy<Item extends { readonly family: string }>(
  items: readonly Item[],
  isWrong: (item: Item) => boolean,
): readonly Count[] {
  const families = [...Map.groupBy(items, ({ family }) => family)]
  const counts = families.map(([family, own]) => ({
    family,
    all: own.length,
    wrong: own.filter(isWrong).length,
  }))
  const sum = (of: 'all' | 'wrong') => counts.reduce((total, count) => total + count[of], 0)
  return [...counts, { family: '**all**', all: sum('all'), wrong: sum('wrong') }]
}

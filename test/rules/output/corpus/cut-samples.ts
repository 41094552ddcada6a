import type { ContextSample } from './context-samples.ts'
import { alnum, base64, RandomText } from './random-text.ts'

/** Credentials that are unusually long, unusually formatted or incomplete; different ones for each seed. */
export function cutSamples(seed: number): readonly ContextSample[] {
  const random = new RandomText(seed)
  const r = (alphabet: string, length: number) => random.of(alphabet, length)
  const lines = (width: number, count: number) =>
    Array.from({ length: count }, () => r(base64, width))
  const marker = (word: string, kind: string) => `-----${word} ${kind}PRIVATE KEY-----`
  return [
    ...family('keys cut short', () => lines(64, 6), [
      ['without its first line', (s) => `${s.join('\n')}\n${marker('END', 'RSA ')}\n`],
      ['its last lines', (s) => `${s.slice(-2).join('\n')}\nabcd==\n${marker('END', '')}\n`],
      ['its middle', (s) => `reading\n${s.join('\n')}\n`],
      ['in a string', (s) => `${s.join('\\n')}\\n${marker('END', '')}\\n",\n"a": 1\n`],
      ['in YAML', (s) => `${s.map((line) => `    ${line}`).join('\n')}\nnext: 1\n`],
    ]),
    ...family('keys cut short', () => lines(70, 6), [
      ['of OpenSSH', (s) => `${s.join('\n')}\n${marker('END', 'OPENSSH ')}\n`],
      ['of OpenSSH, its middle', (s) => `${s.join('\n')}\n`],
    ]),
    ...family('keys in base64', () => {
      const pem = [marker('BEGIN', ''), ...lines(64, 6), marker('END', '')].join('\n')
      return (
        Buffer.from(pem)
          .toString('base64')
          .match(/.{1,76}/g) ?? []
      )
    }, [
      ['in one line', (s) => `${s.join('')}\n`],
      ['in lines', (s) => `${s.join('\n')}\n`],
      ['as a value', (s) => `{"tls.key":"${s.join('')}"}`],
    ]),
    ...family('long secrets', () => [r(alnum, 900), r(base64, 44)], [
      ['JSON', (s) => `{"SessionToken":"${s.join('')}"}`],
      ['INI', (s) => `aws_session_token = ${s.join('')}\n`],
      ['export', (s) => `export AWS_SESSION_TOKEN=${s.join('')}\n`],
      ['YAML', (s) => `refresh_token: ${s.join('')}\n`],
      ['data', (s) => `tls.key: LS0t${s.join('')}\n`],
      ['Bearer', (s) => `Authorization: Bearer ${s[0]?.repeat(6)}${s[1]}\n`],
      [
        'JWT',
        (s) => `eyJhbGciOiJIUzI1NiJ9.${s[0]?.repeat(10)}.${s[1]?.replaceAll(/[+/]/g, '_')}\n`,
        (s) => s[1]?.replaceAll(/[+/]/g, '_'),
      ],
    ]),
    ...family('passwords with signs', () => [`${r(alnum, 4)}(4&${r(alnum, 6)}!q`], [
      ['.env', (s) => `DB_PASSWORD=${s[0]}\n`],
      ['YAML', (s) => `password: ${s[0]}\n`],
      ['YAML, secret', (s) => `  secret_key: ${s[0]}#)^7\n`],
      ['properties', (s) => `spring.datasource.password=${s[0]}\n`],
    ]),
    ...family('passwords with signs', () => [`${r(alnum, 6)}7q`], [
      ['a variable, it seems', (s) => `postgres://app:$3${s[0]}@db.internal/app`],
      ['in brackets', (s) => `postgres://app:[${s[0]}]@db/app`],
      ['with slashes', (s) => `redis://:ab1/${s[0]}+Ef3Gh4=@cache:6379/0`],
      ['an example, it seems', (s) => `DB_PASSWORD=My-Example-77-${s[0]}\n`],
      ['filled, it seems', (s) => `DB_PASSWORD=xxxx7!${s[0]}\n`],
      ['left out, it seems', (s) => `DB_PASSWORD=abc...${s[0]}!22\n`],
      ['here, it seems', (s) => `DB_PASSWORD=${s[0]}there\n`],
    ]),
    ...family('manifests', () => [`pin-${r(alnum, 9)}7`], [
      ['a block', (s) => secret(`stringData:\n  conf: |\n    a=${s[0]}\n    b=1\n  z: zz9zz9\n`)],
      [
        'behind a block',
        (s) => secret(`stringData:\n  conf: |\n    a=1\n\n    b=2\n  z: ${s[0]}\n`),
      ],
      ['a folded block', (s) => secret(`stringData:\n  conf: >-\n      ${s[0]}\n`)],
      ['several lines', (s) => secret(`stringData:\n  conf: one\n    ${s[0]}\n`)],
      ['in braces', (s) => secret(`stringData: {a: ${s[0]}, b: c}\n`)],
      [
        'compact JSON',
        (s) => JSON.stringify({ apiVersion: 'v1', kind: 'Secret', data: { p: s[0] } }),
      ],
      [
        'the kind first',
        (s) => JSON.stringify({ kind: 'Secret', apiVersion: 'v1', data: { a: 'b', p: s[0] } }),
      ],
      ['the kind above', (s) => `kind: Secret\napiVersion: v1\ndata:\n  thing: ${s[0]}\n`],
      [
        'last applied',
        (s) =>
          JSON.stringify({
            last: JSON.stringify({ apiVersion: 'v1', data: { p: s[0] }, kind: 'Secret' }),
          }),
      ],
    ]),
  ]
}

function secret(data: string): string {
  return `apiVersion: v1\nkind: Secret\n${data}`
}

type Row = readonly [
  name: string,
  make: (parts: readonly string[]) => string,
  hidden?: (parts: readonly string[]) => string | undefined,
]

/** The part that must not remain: the last but one of many parts, otherwise the last. */
function family(
  name: string,
  parts: () => readonly string[],
  rows: readonly Row[],
): readonly ContextSample[] {
  return rows.map(([row, make, hidden = (all) => all.at(all.length > 2 ? -2 : -1)]) => {
    const own = parts()
    return { family: name, name: row, text: make(own), secret: hidden(own) ?? '' }
  })
}

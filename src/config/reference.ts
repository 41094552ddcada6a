import { z } from 'zod'
import { externalVariables } from './outside-names.ts'
import { settingsSchema } from './schema/schema.ts'
import { expectedText, type Key, type Section, sectionOf, unwrap, variableOf } from './shape.ts'

const introduction = `<!-- Made from the schema: npx countersign doctor --print-config-reference > docs/reference/configuration.md -->

# Configuration

Countersign reads \`countersign.toml\` from the directory it is started in, or the file that \`COUNTERSIGN_CONFIG\` names. Every
key is optional. Each can also be set by the environment variable beside it, which wins over the file; an empty variable is
unset. What is wrong is told at start, all at once, with file and line.

- **Durations** are seconds (\`30\`) or text with a unit: \`"250ms"\`, \`"30s"\`, \`"10m"\`, \`"24h"\`, \`"7d"\`.
- **Lists** in variables are comma-separated; entries that hold commas are written as JSON (\`["a,b", "c"]\`). Tables and lists of
  tables are JSON in variables, and replace what the file says.
- **Paths** start at the directory of the file (in variables: at the working directory); \`~/\` is the home directory.
- **Path globs** know \`*\` (any text, \`/\` included), \`?\`, \`[a-z]\`, \`{a,b}\`, \`(a|b)\`, \`@(…)\`, \`?(…)\`, \`*(…)\`, \`+(…)\`, \`**/\` (any directories, also none) and
  \`\\\` (the next character as it is). What may be meant in two ways, such as \`app/(group)\`, is refused. One that is relative and does not begin
  with \`**\` starts at the workspace. Other patterns know \`*\` (any text), \`?\` (one character) and \`\\\`, and match the whole.
- **Regular expressions** have at most 1,024 characters, no lookaround and no backreferences.
- **Secrets** never stand in the file. They come from variables, or from files that the variable's \`_FILE\` form names.`

/** The reference of all keys and variables as markdown: the content of `docs/reference/configuration.md`. */
export function configReference(): string {
  const { sections, keys } = sectionOf(settingsSchema)
  const parts = [
    introduction,
    outsideTable(),
    ...sections.flatMap(sectionParts),
    ...keys.map((key) => tableKeyPart(key)),
  ]
  return `${parts.join('\n\n')}\n`
}

function outsideTable(): string {
  const rows = Object.values(externalVariables).map(({ name, kind, description }) => {
    const names = kind.startsWith('secret') ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``
    return `| ${names} | ${cell(description)} |`
  })
  return ['## The environment', ['| variable | meaning |', '|---|---|', ...rows].join('\n')].join(
    '\n\n',
  )
}

function sectionParts(section: Section): readonly string[] {
  const plain = section.keys.filter((key) => !isTables(key))
  const tables = section.keys.filter(isTables)
  return [
    [`## [${section.path.join('.')}]`, section.description, ...keyTable(plain)].join('\n\n'),
    ...tables.map(tableKeyPart),
    ...section.sections.flatMap(sectionParts),
  ]
}

function keyTable(keys: readonly Key[]): readonly string[] {
  if (keys.length === 0) return []
  const rows = keys.map((key) => {
    const name = `\`${key.path.at(-1)}\`<br>\`${variableOf(key.path)}\``
    return `| ${name} | ${cell(expectedText(key.type))} | ${fallbackCell(key)} | ${cell(key.description)} |`
  })
  return [['| key | value | default | meaning |', '|---|---|---|---|', ...rows].join('\n')]
}

/** A table with free names, or a list of tables: the heading and an entry's keys. */
function tableKeyPart(key: Key): string {
  const { heading, entry } = entryOf(key)
  const rows = sectionOf(entry).keys.map((inner) => {
    const fallback = inner.mayBeAbsent ? fallbackCell(inner) : 'required'
    const name = `\`${inner.path.at(-1)}\``
    return `| ${name} | ${cell(expectedText(inner.type))} | ${fallback} | ${cell(inner.description)} |`
  })
  const table = ['| key | value | default | meaning |', '|---|---|---|---|', ...rows].join('\n')
  const variable = `As a whole: \`${variableOf(key.path)}\`, in JSON.`
  return [`## ${heading}`, `${key.description} ${variable}`, table].join('\n\n')
}

function entryOf(key: Key): { heading: string; entry: z.ZodType } {
  const path = key.path.join('.')
  if (key.type instanceof z.ZodArray) return { heading: `[[${path}]]`, entry: element(key.type) }
  const value = key.type instanceof z.ZodRecord ? (key.type.valueType as z.ZodType) : key.type
  const { type } = unwrap(value)
  return type instanceof z.ZodArray
    ? { heading: `[[${path}.<name>]]`, entry: element(type) }
    : { heading: `[${path}.<name>]`, entry: type }
}

function element(list: z.ZodArray): z.ZodType {
  return list.element as z.ZodType
}

function isTables({ type }: Key): boolean {
  if (type instanceof z.ZodRecord) return true
  return type instanceof z.ZodArray && unwrap(element(type)).type instanceof z.ZodObject
}

function fallbackCell({ fallback }: Key): string {
  if (fallback === undefined) return 'unset'
  if (!Array.isArray(fallback) || fallback.length < 4) return code(JSON.stringify(fallback))
  return fallback.map((item: unknown) => code(JSON.stringify(item))).join('<br>')
}

/** A pipe would end the table cell; a backtick needs a longer fence. */
function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`'
  return `${fence}${cell(text)}${fence}`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

import { readFile } from 'node:fs/promises'

/** A query of docs/how-to/audit-queries.md, with the sentence before it. */
export interface DocumentedQuery {
  readonly about: string
  readonly text: string
}

export async function documentedQueries(): Promise<readonly DocumentedQuery[]> {
  const docs = await readFile(
    new URL('../../docs/how-to/audit-queries.md', import.meta.url),
    'utf8',
  )
  const found = docs.matchAll(/([^\n]+):\n\n```sql\n(.*?)```/gs)
  return [...found].map(([, about = '', text = '']) => ({ about, text }))
}

import { readFile } from 'node:fs/promises'

/** A query of docs/audit.md, with the sentence before it. */
export interface DocumentedQuery {
  readonly about: string
  readonly text: string
}

export async function documentedQueries(): Promise<readonly DocumentedQuery[]> {
  const docs = await readFile(new URL('../../docs/audit.md', import.meta.url), 'utf8')
  const found = docs.matchAll(/([^\n]+):\n\n```sql\n(.*?)```/gs)
  return [...found].map(([, about = '', text = '']) => ({ about, text }))
}

import { readdir } from 'node:fs/promises'

/** The rooms from which the product loads what else it needs; all of their modules may be imported without an effect. */
const rooms = ['app', 'cli', 'db', 'edges/model']
const source = new URL('../../src/', import.meta.url)

for (const room of rooms) {
  for (const file of await readdir(new URL(room, source), { recursive: true })) {
    // What is broken is for its own tests to say.
    if (file.endsWith('.ts')) await import(`${source}${room}/${file}`).catch(() => undefined)
  }
}

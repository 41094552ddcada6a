import { readdir } from 'node:fs/promises'

/** The rooms from which the product loads what else it needs; all of their modules may be imported without an effect. */
const rooms = ['agent', 'app', 'cli', 'db', 'gateway', 'adapters/model']
/** What starts it, and what of others it loads once it needs it. */
const others = ['main.ts', 'worker/web/fetch-page.ts', 'worker/web/scrape-page.ts']
const source = new URL('../src/', import.meta.url)

/** Imports all of the product, so that Node keeps what it makes of it where NODE_COMPILE_CACHE says. */
async function compileAhead(): Promise<void> {
  const files = rooms.map(async (room) => {
    const names = await readdir(new URL(room, source), { recursive: true })
    return names.filter((name) => name.endsWith('.ts')).map((name) => `${room}/${name}`)
  })
  for (const file of [...(await Promise.all(files)).flat(), ...others]) {
    // What is broken is for its own tests to say.
    await import(`${source}${file}`).catch(() => undefined)
  }
}

await compileAhead()

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { toPage } from './pictures/page.ts'
import { shootCards } from './pictures/scenes.ts'

/* Draws the pictures of the documentation: what a stand-in of Telegram received, photographed with headless Chromium. */

const run = promisify(execFile)
const target = resolve(import.meta.dirname, '../docs/pictures/telegram-cards.png')
const options = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars']

const directory = await mkdtemp(join(tmpdir(), 'countersign-pictures-'))
try {
  const page = join(directory, 'cards.html')
  await writeFile(page, toPage(await shootCards()))
  const files = [`--user-data-dir=${join(directory, 'profile')}`, `--screenshot=${target}`]
  await run('chromium', [...options, ...files, '--window-size=1240,1440', `file://${page}`])
  process.stdout.write(`${target}\n`)
} finally {
  await rm(directory, { recursive: true, force: true })
}

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const options = ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars']

/** Makes a PNG of a page, by headless Chromium; sizes in CSS pixels. */
export async function photograph(
  html: string,
  target: string,
  size: { readonly width: number; readonly height: number },
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-pictures-'))
  try {
    const page = join(directory, 'page.html')
    await writeFile(page, html)
    const files = [`--user-data-dir=${join(directory, 'profile')}`, `--screenshot=${target}`]
    const window = `--window-size=${size.width},${size.height}`
    await run('chromium', [...options, ...files, window, `file://${page}`])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

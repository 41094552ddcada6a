import { resolve } from 'node:path'
import { photograph } from './pictures/photograph.ts'
import { toSlackPage } from './pictures/slack-page.ts'
import { shootSlackCards } from './pictures/slack-scenes.ts'
import { toTelegramPage } from './pictures/telegram-page.ts'
import { shootTelegramCards } from './pictures/telegram-scenes.ts'

/* Draws the pictures of the documentation: what stand-ins of the platforms received, photographed with headless Chromium. */

const pictures = resolve(import.meta.dirname, '../docs/pictures')
const telegram = resolve(pictures, 'telegram-cards.png')
await photograph(toTelegramPage(await shootTelegramCards()), telegram, {
  width: 1240,
  height: 1440,
})
const slack = resolve(pictures, 'slack-cards.png')
await photograph(toSlackPage(await shootSlackCards()), slack, { width: 1240, height: 1740 })
process.stdout.write(`${telegram}\n${slack}\n`)

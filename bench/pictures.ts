import { resolve } from 'node:path'
import { toPhonePage } from './pictures/phone-page.ts'
import { phoneShots } from './pictures/phone-scenes.ts'
import { photograph } from './pictures/photograph.ts'
import { toSlackPage } from './pictures/slack-page.ts'
import { shootSlackCards } from './pictures/slack-scenes.ts'
import { toTelegramPage } from './pictures/telegram-page.ts'
import { shootTelegramCards } from './pictures/telegram-scenes.ts'

/*
 * Draws the pictures of the documentation by headless Chromium: cards as the painters draw them at a phone's width, light and
 * dark, and what stand-ins of the platforms received from calls in a real box. `phone` draws the first alone.
 */

const pictures = resolve(import.meta.dirname, '../docs/pictures')
for (const theme of ['light', 'dark'] as const) {
  const target = resolve(pictures, `cards-${theme}.png`)
  await photograph(toPhonePage(phoneShots, theme), target, { width: 1240, height: 1250 })
  process.stdout.write(`${target}\n`)
}
if (process.argv[2] !== 'phone') {
  const telegram = resolve(pictures, 'telegram-cards.png')
  await photograph(toTelegramPage(await shootTelegramCards()), telegram, {
    width: 1240,
    height: 1060,
  })
  const slack = resolve(pictures, 'slack-cards.png')
  await photograph(toSlackPage(await shootSlackCards()), slack, { width: 1240, height: 1220 })
  process.stdout.write(`${telegram}\n${slack}\n`)
}

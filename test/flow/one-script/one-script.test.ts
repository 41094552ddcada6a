import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answers } from './answers.ts'
import { course } from './course.ts'
import { play } from './play.ts'
import { openSlack } from './play-slack.ts'
import { openTelegram } from './play-telegram.ts'
import { openTerminal } from './play-terminal.ts'
import type { Player } from './player.ts'
import { results } from './results.ts'

describe('the same person says the same to the same product, by the terminal, Telegram and Slack: the rows are the same', () => {
  const resources = new AsyncDisposableStack()
  let players: readonly [Player, Player, Player]
  beforeAll(async () => {
    const settings = {
      COUNTERSIGN_TELEGRAM_OPERATORS: '45',
      COUNTERSIGN_SLACK_OPERATORS: 'U0ROSA0001',
    }
    players = await Promise.all([
      openTerminal(settings),
      openTelegram(settings),
      openSlack(settings),
    ])
    for (const player of players) resources.use(player)
  })
  afterAll(() => resources.disposeAsync())

  for (const script of [...answers, ...course, ...results]) {
    test(script.title, async () => {
      const [terminal, telegram, slack] = await Promise.all(
        players.map((player) => play(player, script)),
      )
      expect({ telegram }).toEqual({ telegram: terminal })
      expect({ slack }).toEqual({ slack: terminal })
    })
  }
})

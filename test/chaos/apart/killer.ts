import { setTimeout as delay } from 'node:timers/promises'
import type { Fleet, Seat } from '../../support/apart/fleet.ts'
import { type Role, roles } from '../../support/apart/roles.ts'

const shortestPauseMs = 1_000
const longestPauseMs = 2_000
/** How long a role is without anybody when all of it was killed. */
const emptyMs = 3_000

/** A process that was killed, in Unix milliseconds. */
export interface Kill {
  readonly role: Role
  readonly at: number
}

/** kill -9 of one of the fleet every second or two, now and then of two at once, and of a whole role for some seconds. */
export class Killer {
  readonly kills: Kill[] = []
  readonly #fleet: Fleet
  #blows = 0
  #pairs = 0
  #wholes = 0

  constructor(fleet: Fleet) {
    this.#fleet = fleet
  }

  async killUntil(until: number): Promise<void> {
    while (performance.now() < until) {
      await delay(shortestPauseMs + Math.random() * (longestPauseMs - shortestPauseMs))
      await this.#untilMostServe()
      this.#blows += 1
      await this.#strike()
    }
  }

  figures(): string {
    const counts = roles.map((role) => `${this.of(role).length} ${role}s`)
    return `${this.kills.length} kills (${counts.join(', ')}; ${this.#pairs} pairs at once, ${this.#wholes} times all of a role)`
  }

  of(role: Role): readonly Kill[] {
    return this.kills.filter((kill) => kill.role === role)
  }

  /** Where processes take longer to start than to be killed, nothing would ever be done that a kill could spoil. */
  async #untilMostServe(): Promise<void> {
    const { seats } = this.#fleet
    while (this.#fleet.serving <= seats.length / 2) await delay(50)
  }

  #strike(): Promise<void> {
    if (this.#blows % 6 === 0) return this.#killRole()
    if (this.#blows % 3 === 0) return this.#killPair()
    return this.#kill(this.#some(1))
  }

  async #killRole(): Promise<void> {
    const role = roles[this.#wholes % roles.length] ?? 'worker'
    this.#wholes += 1
    await this.#kill(this.#fleet.of(role), emptyMs)
  }

  async #killPair(): Promise<void> {
    this.#pairs += 1
    await this.#kill(this.#some(2))
  }

  async #kill(seats: readonly Seat[], emptyForMs = 0): Promise<void> {
    const at = Date.now()
    this.kills.push(...seats.map(({ role }) => ({ role, at })))
    await Promise.all(seats.map((seat) => this.#fleet.end(seat)))
    await delay(emptyForMs)
    for (const seat of seats) this.#fleet.fill(seat)
  }

  #some(count: number): readonly Seat[] {
    const left = [...this.#fleet.seats]
    return Array.from({ length: count }, () =>
      left.splice(Math.floor(Math.random() * left.length), 1),
    ).flat()
  }
}

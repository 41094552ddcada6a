import type { Ended, RealProgram } from '../real-product.ts'
import { type Apart, untilReady } from './create-apart.ts'
import { hasSaidReady, type Role, roles } from './roles.ts'

/** Two gateways, two agents, and three replicas of one worker over one data directory. */
const seven: Crew = { gateway: 2, agent: 2, worker: 3 }

export type Crew = Readonly<Record<Role, number>>

/** A place for a process of a role; whoever sits there may change. */
export interface Seat {
  readonly role: Role
  program: RealProgram
}

/** A process that ended without being asked to. */
export interface Fall {
  readonly role: Role
  readonly end: Ended
  readonly said: string
}

/** Processes of all roles over one meeting point. */
export class Fleet {
  readonly seats: readonly Seat[]
  /** Every process there was, in the order of their starts. */
  readonly programs: RealProgram[] = []
  /** Those that ended by themselves: there must be none. */
  readonly falls: Fall[] = []
  readonly #apart: Apart
  readonly #asked = new Set<RealProgram>()

  constructor(apart: Apart, crew: Crew = seven) {
    this.#apart = apart
    this.seats = roles.flatMap((role) =>
      Array.from({ length: crew[role] }, () => ({ role, program: this.#start(role) })),
    )
  }

  /** Settles when every process that sits somewhere now says that it serves. */
  async ready(): Promise<void> {
    await Promise.all(this.seats.map(({ role, program }) => untilReady(this.#apart, role, program)))
  }

  /** How many of them have said so. */
  get serving(): number {
    return this.seats.filter(({ role, program }) => hasSaidReady(role, program)).length
  }

  of(role: Role): readonly Seat[] {
    return this.seats.filter((seat) => seat.role === role)
  }

  /** Sends a signal by which the process is to end; settles when it is gone. */
  async end({ program }: Seat, signal: NodeJS.Signals = 'SIGKILL'): Promise<Ended> {
    this.#asked.add(program)
    program.child.kill(signal)
    return await program.ended
  }

  /** Another process takes the seat. */
  fill(seat: Seat): RealProgram {
    seat.program = this.#start(seat.role)
    return seat.program
  }

  /** What the processes have logged as errors, one line each. */
  complaints(): string {
    const lines = this.programs.flatMap(({ stdout }) => stdout.split('\n'))
    return lines.filter((line) => line.includes('"level":50')).join('\n')
  }

  #start(role: Role): RealProgram {
    const program = this.#apart.start(role)
    this.programs.push(program)
    void program.ended.then((end) => {
      if (this.#asked.has(program)) return
      this.falls.push({ role, end, said: program.stderr })
    })
    return program
  }
}

import { test } from 'vitest'
import { greetForged } from './hostile-enrolment.ts'
import { deleteEverything, flood } from './hostile-flood.ts'
import { expectNothingForged, expectUnharmed } from './hostile-harm.ts'
import { pushForgedJobs, swapJob } from './hostile-jobs.ts'
import { answerForAnother } from './hostile-other-worker.ts'
import { forgeResults } from './hostile-results.ts'
import { createScene, type Scene } from './hostile-scene.ts'
import { sayForged, stopAndWake } from './hostile-words.ts'

const timeout = 480_000

type Step = (scene: Scene) => Promise<void>

test('PROC-02 THREAT-3 INT-13 LOOP-14 with the queue’s password alone no command runs, nothing is said, stopped or woken', {
  timeout,
}, async () => {
  await using scene = await createFleet()
  await withstand(scene, [pushForgedJobs, sayForged, stopAndWake])
  await swapJob(scene)
  // A true job with other arguments is refused in so many words, so that the call may be judged a second time.
  await expectNothingForged(scene)
})

test('PROC-02 THREAT-5 REL-02 REL-03 STORE-04 with the queue’s password alone no result is forged and nobody enrols; floods and deletions pass', {
  timeout,
}, async () => {
  await using scene = await createFleet()
  await withstand(scene, [forgeResults, greetForged, flood, deleteEverything])
})

test('PROC-02 THREAT-5 with one worker’s token as well nobody answers for another worker', {
  timeout,
}, async () => {
  await using scene = await createScene()
  await scene.start('gateway', 'agent', 'worker')
  await withstand(scene, [answerForAnother])
})

async function createFleet(): Promise<Scene> {
  const scene = await createScene()
  scene.apart.start('worker', scene.apart.workerNamed('other'))
  await scene.start('gateway', 'agent', 'worker', 'worker')
  await scene.replicas(3)
  return scene
}

/** One after the other on the same processes, while Ada goes on working. */
async function withstand(scene: Scene, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    try {
      await step(scene)
      await expectUnharmed(scene)
    } catch (error) {
      throw new Error(`not withstood: ${step.name}`, { cause: error })
    }
  }
}

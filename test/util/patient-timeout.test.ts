import { expect, test } from 'vitest'
import { patientTimeout } from '../../src/util/patient-timeout.ts'

test('without an answer it fires, as a time-out does', async () => {
  const signal = patientTimeout(10)
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})

import { test } from 'vitest'
import { createProcessDriver } from '../../../src/edges/sandbox/process/process-driver.ts'
import { sandboxContract } from '../../contract/sandbox.ts'

sandboxContract('process', test, createProcessDriver)

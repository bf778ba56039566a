import { getPriority, setPriority } from 'node:os';

/** The usual one is 0, the lowest 19. At 5 a thread gets about a quarter of a busy core that another thread wants, too. */
const LOW_PRIORITY = 5;

/**
 * Lets other threads of the machine go first when all cores are busy. Only Linux has a priority for each thread; elsewhere
 * this would slow the whole process.
 */
export function lowerThreadPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    if (getPriority() < LOW_PRIORITY) setPriority(LOW_PRIORITY);
  } catch {
    // A system that refuses it, such as a strict container, still gets its answers.
  }
}

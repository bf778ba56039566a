export const MAX_STEPS = 10;
export const MAX_STEP_CHANNELS = 20;
export const MIN_WAIT_SECONDS = 60;
export const MIN_AGAIN_SECONDS = 300;
/** Seconds for which anything waits at most. */
export const MAX_POLICY_SECONDS = 86_400;
export const MAX_AGAIN = 100;
/** Repeats at most, where nothing else is said. */
export const USUAL_AGAIN_MOST = 48;
export const MAX_RUNS = 20;
/** Seconds for which an acknowledgement lasts, if it does not last until the check is up. */
export const MIN_ACK_SECONDS = 300;
export const MAX_ACK_SECONDS = 604_800;

import { lazy, Suspense, useSyncExternalStore } from 'react';
import { openInterruption, subscribe } from './interruption.ts';

/* Few people see them, and they bring code for keys with them. */
const ProofDialog = lazy(() => import('./proof-dialog.tsx'));
const SignedOutDialog = lazy(() => import('./signed-out-dialog.tsx'));

/** The dialogs of all pages. */
export function Interruptions() {
  const shown = useSyncExternalStore(subscribe, openInterruption);
  if (shown === null) return null;
  const Shown = shown.kind === 'not_signed_in' ? SignedOutDialog : ProofDialog;
  return (
    <Suspense>
      <Shown onDone={shown.settle} />
    </Suspense>
  );
}

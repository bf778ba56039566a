import QuietTimeDialog, { type NamedCheck } from './quiet-time-dialog.tsx';
import { useQuietTimeActs } from './use-quiet-times.ts';

/** Announces a quiet time for checks that somebody has chosen in a list. */
export default function QuietChecksDialog({
  project,
  checks,
  onDone,
  onClose,
}: {
  /** The UUID of the project. */
  readonly project: string;
  readonly checks: readonly NamedCheck[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const { announce } = useQuietTimeActs(project);
  return (
    <QuietTimeDialog
      project={project}
      chosen={checks}
      save={async (input) => {
        await announce(input);
        onDone();
      }}
      onClose={onClose}
    />
  );
}

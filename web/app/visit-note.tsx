import { m } from '../messages/index.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/note.tsx';
import { act } from './act.ts';
import { open } from './next.ts';

/** Reminds an administrator on every page that the project belongs to others. */
export function VisitNote({ uuid, name }: { readonly uuid: string; readonly name: string }) {
  const leave = () => void act.leaveVisitedProject({ target: uuid }).then(() => open('/admin/projects/'));
  return (
    <div className="px-5 pt-3 max-md:px-3">
      <Note
        kind="late"
        action={
          <Button size="small" onClick={leave}>
            {m.shell.leaveVisit}
          </Button>
        }
      >
        {m.shell.visit(name)}
      </Note>
    </div>
  );
}

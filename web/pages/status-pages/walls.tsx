import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { MadeWallJson, WallJson } from '../../../src/wire/dashboard/wall-output.ts';
import { get, post, remove } from '../../app/api.ts';
import { useForm } from '../../app/use-form.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Dialog, DialogActions } from '../../ui/dialog.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { ErrorText } from '../../ui/error-text.tsx';
import { Field } from '../../ui/field.tsx';
import { masked } from '../../ui/masked.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';

const wallsQuery = (project: string) =>
  queryOptions({
    queryKey: ['project', project, 'walls'],
    queryFn: () => get<{ readonly walls: readonly WallJson[] }>(`/projects/${project}/walls`),
  });

/** The wall displays of a project: their addresses are made here, shown once, and revoked. */
export function Walls({ project }: { readonly project: string }) {
  const { data } = useSuspenseQuery(wallsQuery(project));
  const [isAdding, setIsAdding] = useState(false);
  const [made, setMade] = useState<MadeWallJson | null>(null);
  const [revoking, setRevoking] = useState<WallJson | null>(null);
  return (
    <Card
      title={m.walls.title}
      lead={
        <>
          {m.walls.lead} <DocsLink path="wall-displays/">{m.docs.wallDisplays}</DocsLink>
        </>
      }
      action={
        <Button size="small" onClick={() => setIsAdding(true)}>
          <Plus className="size-8" strokeWidth={1.5} aria-hidden="true" />
          {m.walls.add}
        </Button>
      }
    >
      <div className="grid gap-6">
        {made !== null && (
          <ShownOnce
            title={m.walls.shownOnce(made.name)}
            secret={made.address}
            onStored={() => setMade(null)}
          />
        )}
        {data.walls.length === 0 ? (
          <p className="text-ink-3">{m.walls.none}</p>
        ) : (
          <ul className="divide-y divide-line">
            {data.walls.map((wall) => (
              <li key={wall.uuid} className="flex flex-wrap items-center gap-x-8 gap-y-2 py-4">
                <span className="min-w-0 flex-1 basis-[140px] truncate font-medium">{wall.name}</span>
                <code className="text-12 text-ink-3">{masked(wall.token)}</code>
                <span className="text-12 text-ink-3">
                  <ClockTime at={wall.created} />
                  {wall.created_by !== null && ` ${m.walls.by(wall.created_by)}`}
                </span>
                <Button
                  size="small"
                  kind="danger"
                  className="max-md:ml-auto"
                  onClick={() => setRevoking(wall)}
                >
                  {m.walls.revoke}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
      {isAdding && (
        <AddWall
          project={project}
          onClose={() => setIsAdding(false)}
          onMade={(wall) => {
            setIsAdding(false);
            setMade(wall);
          }}
        />
      )}
      {revoking !== null && <Revoke project={project} wall={revoking} onClose={() => setRevoking(null)} />}
    </Card>
  );
}

function AddWall({
  project,
  onClose,
  onMade,
}: {
  readonly project: string;
  readonly onClose: () => void;
  readonly onMade: (wall: MadeWallJson) => void;
}) {
  const queries = useQueryClient();
  const form = useForm(
    (values) => post<MadeWallJson>(`/projects/${project}/walls`, values),
    async (wall) => {
      await queries.invalidateQueries({ queryKey: wallsQuery(project).queryKey });
      onMade(wall);
    },
  );
  const otherError = form.otherError('name');
  return (
    <Dialog title={m.walls.add} onClose={onClose}>
      <form className="grid gap-7" onSubmit={form.onSubmit}>
        <Field
          label={m.walls.name}
          name="name"
          required
          maxLength={100}
          autoComplete="off"
          hint={m.walls.nameHint}
          error={form.errorOf('name')}
        />
        {otherError !== null && <ErrorText>{otherError}</ErrorText>}
        <DialogActions>
          <Button onClick={onClose}>{m.controls.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            {m.walls.create}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Revoke({
  project,
  wall,
  onClose,
}: {
  readonly project: string;
  readonly wall: WallJson;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => remove(`/projects/${project}/walls/${wall.uuid}`),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: wallsQuery(project).queryKey });
      tell(m.walls.revoked);
      onClose();
    },
  });
  return (
    <Dialog title={m.walls.revokeTitle(wall.name)} onClose={onClose}>
      <p className="text-ink-2">{m.walls.revokeLead}</p>
      {error !== null && <ErrorText>{error.message}</ErrorText>}
      <DialogActions>
        <Button onClick={onClose}>{m.controls.keep}</Button>
        <Button kind="danger" isBusy={isPending} onClick={() => mutate()}>
          {m.walls.revoke}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

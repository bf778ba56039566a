import { useSuspenseQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { TEXT_LIMITS } from '../../../src/domain/text-limits.ts';
import { act } from '../../app/act.ts';
import { type Answer, query } from '../../app/read.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Field } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { masked } from '../../ui/masked.ts';
import { useShownOnce } from '../../ui/shown-once.tsx';
import { ClockTime } from '../../ui/time.tsx';
import { tell } from '../../ui/toasts.tsx';

type Wall = Answer<'wallDisplays'>[number];

/** The wall displays of a project: their addresses are made here, shown once, and revoked. */
export function Walls({ project }: { readonly project: string }) {
  const { data: walls } = useSuspenseQuery(query.wallDisplays({ project }));
  const [isAdding, setIsAdding] = useState(false);
  const made = useShownOnce();
  const [revoking, setRevoking] = useState<Wall | null>(null);
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
          <Plus className="size-4" />
          {m.walls.add}
        </Button>
      }
    >
      <div className="grid gap-3">
        {made.shown}
        {walls.length === 0 ? (
          <p className="text-ink-3">{m.walls.none}</p>
        ) : (
          <ul className="divide-y divide-line">
            {walls.map((wall) => (
              <li key={wall.uuid} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
                <span className="min-w-0 flex-1 basis-[140px] truncate font-medium">{wall.name}</span>
                <code className="text-12 text-ink-3">{masked(wall.token)}</code>
                <span className="text-12 text-ink-3">
                  <ClockTime at={wall.created} />
                  {wall.createdBy !== null && ` ${m.walls.by(wall.createdBy)}`}
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
        <FormDialog
          title={m.walls.add}
          action={m.walls.create}
          className="grid gap-3.5"
          send={({ name = '' }) => act.createWall({ project, name })}
          done={({ name, address }) => made.show(m.walls.shownOnce(name), address)}
          onClose={() => setIsAdding(false)}
        >
          <Field
            label={m.walls.name}
            name="name"
            required
            maxLength={TEXT_LIMITS.keyName}
            autoComplete="off"
            hint={m.walls.nameHint}
          />
        </FormDialog>
      )}
      {revoking !== null && (
        <ConfirmDialog
          title={m.walls.revokeTitle(revoking.name)}
          action={m.walls.revoke}
          run={() => act.revokeWall({ project, wall: revoking.uuid })}
          done={() => tell(m.walls.revoked)}
          onClose={() => setRevoking(null)}
        >
          {m.walls.revokeLead}
        </ConfirmDialog>
      )}
    </Card>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Bookmark, Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { act } from '../../app/act.ts';
import { query } from '../../app/read.ts';
import { useAct } from '../../app/use-act.ts';
import { type SavedView, searchOfView } from '../../app/views.ts';
import { m } from '../../messages/index.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, FormDialog, FormError, Submit } from '../../ui/form.tsx';
import { MenuItem, MenuLine } from '../../ui/menu.tsx';
import { Switch } from '../../ui/switch.tsx';
import { tell } from '../../ui/toasts.tsx';
import type { Scope } from './board.ts';
import { searchOf, type View } from './view.ts';

const t = m.views;
/** Views that the person has kept: `items` belong into the menu of the list, `dialog` somewhere on the page. */
export function useSavedViews(project: Scope, view: View, isWriter: boolean) {
  const { data: views = [] } = useQuery({
    ...query.savedViews({ project: project ?? '' }),
    enabled: project !== null,
  });
  const [open, setOpen] = useState<'save' | 'manage' | null>(null);
  const navigate = useNavigate();
  const close = () => setOpen(null);
  // Views belong to a project.
  if (project === null) return { items: null, dialog: null };
  const items: ReactNode = (
    <>
      {views.map((one) => (
        <MenuItem
          key={one.uuid}
          icon={<Bookmark className="size-3.5" />}
          onSelect={() => void navigate({ to: './', search: searchOfView(one) })}
        >
          <span className="max-w-[220px] truncate">{one.name}</span>
        </MenuItem>
      ))}
      {views.length > 0 && <MenuLine />}
      <MenuItem onSelect={() => setOpen('save')}>{t.save}</MenuItem>
      {views.length > 0 && <MenuItem onSelect={() => setOpen('manage')}>{t.manage}</MenuItem>}
      <MenuLine />
    </>
  );
  const dialog: ReactNode = (
    <>
      {open === 'save' && <SaveDialog project={project} view={view} isWriter={isWriter} onClose={close} />}
      {open === 'manage' && (
        <ManageDialog project={project} view={view} views={views} isWriter={isWriter} onClose={close} />
      )}
    </>
  );
  return { items, dialog };
}

/** The current filter. Checks that turned bad together are found at this moment only. */
const queryOf = (view: View): string => new URLSearchParams(searchOf({ ...view, since: null })).toString();

function NameField({ name, onName }: { readonly name: string; readonly onName: (name: string) => void }) {
  return (
    <Field
      label={t.name}
      name="name"
      value={name}
      autoComplete="off"
      autoFocus
      onChange={(event) => onName(event.target.value)}
    />
  );
}

interface OfList {
  readonly project: string;
  readonly view: View;
  readonly isWriter: boolean;
  readonly onClose: () => void;
}

function SaveDialog({ project, view, isWriter, onClose }: OfList) {
  const [name, setName] = useState('');
  const [isShared, setIsShared] = useState(false);
  return (
    <FormDialog
      title={t.saveTitle}
      action={t.go}
      refuse={null}
      isIncomplete={name.trim() === ''}
      send={() => act.saveView({ project, name, query: queryOf(view), isShared })}
      done={() => tell(t.saved(name.trim()))}
      onClose={onClose}
    >
      <p className="text-ink-2">{t.saveLead}</p>
      <NameField name={name} onName={setName} />
      {isWriter && (
        <Checkbox
          label={t.shared}
          checked={isShared}
          onChange={(event) => setIsShared(event.target.checked)}
        />
      )}
    </FormDialog>
  );
}

function ManageDialog({
  project,
  view: shown,
  views,
  isWriter,
  onClose,
}: OfList & { readonly views: readonly SavedView[] }) {
  const [edited, setEdited] = useState<string | null>(null);
  return (
    <Dialog title={t.manageTitle} onClose={onClose}>
      <ul className="grid">
        {views.map((view) =>
          view.uuid === edited ? (
            <li key={view.uuid} className="border-t border-line py-2 first:border-t-0">
              <EditForm project={project} view={view} shown={shown} onClose={() => setEdited(null)} />
            </li>
          ) : (
            <ViewRow
              key={view.uuid}
              project={project}
              view={view}
              isWriter={isWriter}
              onEdit={() => setEdited(view.uuid)}
            />
          ),
        )}
      </ul>
    </Dialog>
  );
}

function ViewRow({
  project,
  view: { uuid, name, isOwn, isShared, by },
  isWriter,
  onEdit,
}: {
  readonly project: string;
  readonly view: SavedView;
  readonly isWriter: boolean;
  readonly onEdit: () => void;
}) {
  const share = useAct(act.changeView);
  const remove = useAct(act.deleteView, () => tell(t.deleted(name)));
  return (
    <li className="flex items-center gap-2.5 border-t border-line py-2 first:border-t-0">
      <span className="min-w-0 flex-1">
        <b className="block truncate font-medium">{name}</b>
        <span className="block truncate text-12 text-ink-3">
          {isOwn ? (isShared ? t.everybody : t.onlyYou) : t.by(by)}
        </span>
      </span>
      {isOwn && (isWriter || !isShared) && (
        <Button kind="ghost" size="smallIcon" aria-label={t.edit(name)} onClick={onEdit}>
          <Pencil className="size-4" />
        </Button>
      )}
      {isOwn && isWriter && (
        <Switch
          label={t.share(name)}
          isOn={isShared}
          onChange={(next) => share.run({ project, view: uuid, isShared: next })}
        />
      )}
      {(isOwn || isWriter) && (
        <Button
          kind="ghost"
          size="smallIcon"
          aria-label={t.delete(name)}
          onClick={() => remove.run({ project, view: uuid })}
        >
          <Trash2 className="size-4" />
        </Button>
      )}
    </li>
  );
}

/** Another name for a view, and the current filter in place of its own. */
function EditForm({
  project,
  view,
  shown,
  onClose,
}: {
  readonly project: string;
  readonly view: SavedView;
  readonly shown: View;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState(view.name);
  const [isReplaced, setIsReplaced] = useState(false);
  return (
    <Form
      send={() =>
        act.changeView({ project, view: view.uuid, name, ...(isReplaced && { query: queryOf(shown) }) })
      }
      done={onClose}
    >
      <NameField name={name} onName={setName} />
      <Checkbox
        label={t.replace}
        checked={isReplaced}
        onChange={(event) => setIsReplaced(event.target.checked)}
      />
      <FormError />
      <div className="flex justify-end gap-2">
        <Button size="small" onClick={onClose}>
          {m.controls.cancel}
        </Button>
        <Submit size="small" disabled={name.trim() === ''}>
          {m.controls.save}
        </Submit>
      </div>
    </Form>
  );
}

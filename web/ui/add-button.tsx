import { Plus } from 'lucide-react';
import { Button } from './button.tsx';

/** Below a list: adds one more. */
export function AddButton({ label, onAdd }: { readonly label: string; readonly onAdd: () => void }) {
  return (
    <div>
      <Button size="small" onClick={onAdd}>
        <Plus className="size-4 text-ink-3" />
        {label}
      </Button>
    </div>
  );
}

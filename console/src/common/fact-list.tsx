import type { ReactNode } from 'react';
import './fact-list.css';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

/** Names and values of the details of an item. */
export function FactList({ facts }: { readonly facts: readonly Fact[] }): ReactNode {
  return (
    <dl className="fact-list">
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

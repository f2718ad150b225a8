import { useState, type ReactNode } from 'react';
import { NavLink, useLocation } from 'react-router';
import { text } from '../text/text';
import { ChevronIcon } from '../common/icon';
import {
  MAX_LISTED,
  MAX_SEARCHED_WORKSPACES,
  useDatagridNodes,
  useWorkspaceNodes,
  type TreeNode,
} from './tree-queries';

const contains = (name: string, words: string): boolean =>
  name.toLocaleLowerCase().includes(words.trim().toLocaleLowerCase());

/** The workspaces with their datagrids, and a search of both. */
export function DatagridTree(): ReactNode {
  const { data, error } = useWorkspaceNodes();
  const [search, setSearch] = useState('');
  if (error) return <p className="tree-note">{text.tree.failed}</p>;
  if (!data || data.nodes.length === 0) return null;
  const isSearch = search.trim() !== '';
  const nodes = isSearch ? data.nodes.slice(0, MAX_SEARCHED_WORKSPACES) : data.nodes;
  const isCut = data.isCut || nodes.length < data.nodes.length;
  return (
    <div className="tree">
      <input
        type="search"
        className="tree-search"
        aria-label={text.tree.find}
        placeholder={text.tree.find}
        value={search}
        onChange={({ currentTarget }) => {
          setSearch(currentTarget.value);
        }}
      />
      <ul className="tree-list">
        {nodes.map((workspace) => (
          <WorkspaceBranch
            key={workspace.id}
            workspace={workspace}
            search={search}
            isOnly={data.nodes.length === 1}
          />
        ))}
      </ul>
      {isCut && (
        <p className="tree-note">
          {text.tree.cut((isSearch ? nodes.length : MAX_LISTED).toLocaleString())}
        </p>
      )}
    </div>
  );
}

interface WorkspaceBranchProps {
  readonly workspace: TreeNode;
  readonly search: string;
  /** The only workspace is expanded. */
  readonly isOnly: boolean;
}

function WorkspaceBranch({ workspace, search, isOnly }: WorkspaceBranchProps): ReactNode {
  const { id, name } = workspace;
  const isHere = useLocation().pathname.startsWith(`/workspaces/${id}`);
  const [chosen, setChosen] = useState<boolean>();
  const isSearch = search.trim() !== '';
  const isExpanded = isSearch || (chosen ?? (isHere || isOnly));
  const { data } = useDatagridNodes(id, isExpanded);
  const isFound = contains(name, search);
  const datagrids = data?.nodes.filter((each) => isFound || contains(each.name, search));
  if (isSearch && !isFound && !datagrids?.length) return null;
  return (
    <li>
      <div className="tree-row">
        <button
          type="button"
          className="tree-toggle"
          aria-expanded={isExpanded}
          aria-label={isExpanded ? text.tree.collapse(name) : text.tree.expand(name)}
          onClick={() => {
            setChosen(!isExpanded);
          }}
        >
          <ChevronIcon />
        </button>
        <NavLink to={`/workspaces/${id}`} end className="tree-link tree-workspace" title={name}>
          {name}
        </NavLink>
      </div>
      {isExpanded && datagrids && (
        <ul className="tree-list tree-datagrids">
          {datagrids.length === 0 && <li className="tree-note">{text.tree.none}</li>}
          {datagrids.map((datagrid) => (
            <li key={datagrid.id}>
              <NavLink to={`/datagrids/${datagrid.id}`} className="tree-link" title={datagrid.name}>
                {datagrid.name}
              </NavLink>
            </li>
          ))}
          {data?.isCut === true && (
            <li>
              <NavLink to={`/workspaces/${id}`} end className="tree-link tree-more">
                {text.tree.more}
              </NavLink>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

import { lazy, type ReactNode } from 'react';
import { Route, Routes } from 'react-router';

const GridPage = lazy(() => import('../grid/grid-page'));

/** Everything under `/datagrids`. */
export default function DatagridRoutes(): ReactNode {
  return (
    <Routes>
      <Route path=":datagridId/*" element={<GridPage />} />
    </Routes>
  );
}
